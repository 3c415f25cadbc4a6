/** Example of an operation in the API reference. */

/** Request and response. */
export interface Example {
  /** Complete input: path, query and body fields. */
  readonly request: object;
  /** Response; a text for a response that is not JSON. */
  readonly answer: object | string;
}
