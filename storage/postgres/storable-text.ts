/** Text that PostgreSQL can store: it refuses NUL characters, and unpaired surrogates in JSON. */

/** Replaces NUL characters and unpaired surrogates by U+FFFD; failure messages of tasks may contain them. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Returns a value with all its strings made storable. */
export function toStorableTexts<Value extends object>(value: Value): Value {
  const storable: Value = JSON.parse(toStorableJson(value));
  return storable;
}

/** Serializes a value for a JSONB column, with all its strings made storable. */
export function toStorableJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? toStorableText(member) : member,
  );
}
