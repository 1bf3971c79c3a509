import * as Effect from "effect/Effect";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { CompanyId, IssueId } from "../../../core/model/shared/ids.ts";
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
  collect(input, [], named);
  if (named.size === 0) return input;
  const ids: ReadonlyMap<string, IssueId> =
    companyId === null ? new Map() : yield* app.views.access.issueIds([...named.keys()], companyId);
  const missing = [...named].find(([identifier]) => !ids.has(identifier));
  if (missing !== undefined) return yield* Effect.fail(ReferenceNotFound.at(missing[1]));
  return replaced(input, ids) as Input;
});

/** Notes the identifiers in a value with their paths. */
const collect = (value: unknown, path: readonly string[], named: Map<string, string>): void => {
  if (value instanceof IssueIdentifier) named.set(value.text, path.join("."));
  else if (Array.isArray(value)) for (const each of value) collect(each, path, named);
  else if (isFields(value))
    for (const name in value)
      if (typeof value[name] === "object") collect(value[name], [...path, name], named);
};

const replaced = (value: unknown, ids: ReadonlyMap<string, IssueId>): unknown => {
  if (value instanceof IssueIdentifier) return ids.get(value.text);
  if (Array.isArray(value)) return value.map((each) => replaced(each, ids));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, ids)]));
};

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
