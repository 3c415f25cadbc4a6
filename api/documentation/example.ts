/** What an example of an operation is. */

export interface Example {
  /** The whole input, whether it stands in path, query or body. */
  readonly request: object;
  /** A text for an answer that is no JSON. */
  readonly answer: object | string;
}
