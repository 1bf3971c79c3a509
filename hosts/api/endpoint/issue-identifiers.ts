import * as Effect from "effect/Effect";
import { ReferenceNotFound } from "../../../core/shared/failure.ts";
import type { CompanyId, IssueId } from "../../../core/shared/ids.ts";
import type { App } from "./app.ts";

/** An issue's identifier in a request, such as ABC-12, until dispatch replaces it by the id. */
export class IssueIdentifier {
  readonly text: string;
  constructor(text: string) {
    this.text = text.toUpperCase();
  }
}

/** Replaces identifiers by ids. Refuses an identifier that no issue of the company has. */
export const resolveIdentifiers = Effect.fnUntraced(function* <Input>(
  app: App,
  companyId: CompanyId | null,
  input: Input,
) {
  const named = new Map<string, string>();
  replaced(input, [], ({ text }, path) => {
    named.set(text, path);
    return null;
  });
  if (named.size === 0) return input;
  const ids: ReadonlyMap<string, IssueId> =
    companyId === null ? new Map() : yield* app.views.access.issueIds([...named.keys()], companyId);
  const missing = [...named].find(([identifier]) => !ids.has(identifier));
  if (missing !== undefined) return yield* Effect.fail(ReferenceNotFound.at(missing[1]));
  return replaced(input, [], ({ text }) => ids.get(text)) as Input;
});

const replaced = (
  value: unknown,
  path: readonly string[],
  by: (identifier: IssueIdentifier, path: string) => unknown,
): unknown => {
  if (value instanceof IssueIdentifier) return by(value, path.join("."));
  if (Array.isArray(value)) return value.map((each) => replaced(each, path, by));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const fields = Object.entries(value).map(([name, each]) => [name, replaced(each, [...path, name], by)]);
  return Object.fromEntries(fields);
};
