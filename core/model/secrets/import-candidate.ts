import type { SecretId } from "../shared/ids.ts";
import { keyOf, type Secret } from "./secret.ts";

export type ConflictType = "exact_reference" | "name" | "key" | "provider_guardrail";

export interface Conflict {
  readonly type: ConflictType;
  readonly message: string;
  readonly existingSecretId?: SecretId | undefined;
}

/** Existing secrets that could conflict. */
export type Existing = Pick<Secret, "id" | "name" | "key"> & { readonly canonicalRef: string | null };

export interface Wanted {
  readonly name: string;
  readonly key: string;
  readonly canonicalRef: string;
  /** The reference is in the namespace that the service manages. */
  readonly guarded: boolean;
}

/** Returns the conflicts of a reference. An equal reference explains an equal name and key, so it is reported alone. */
export const conflictsOf = (wanted: Wanted, existing: readonly Existing[]): readonly Conflict[] => {
  if (wanted.guarded)
    return [
      {
        type: "provider_guardrail",
        message: "Boardroom manages this namespace itself.",
      },
    ];
  const same = existing.find(({ canonicalRef }) => canonicalRef === wanted.canonicalRef);
  if (same !== undefined)
    return [
      {
        type: "exact_reference",
        message: "Another secret already uses this reference.",
        existingSecretId: same.id,
      },
    ];
  const byName = existing.find(({ name }) => name.toLowerCase() === wanted.name.toLowerCase());
  const byKey = existing.find(({ key }) => key === wanted.key);
  return [
    ...(byName === undefined
      ? []
      : [
          {
            type: "name" as const,
            message: "Another secret already has this name.",
            existingSecretId: byName.id,
          },
        ]),
    ...(byKey === undefined
      ? []
      : [
          {
            type: "key" as const,
            message: "Another secret already has this key.",
            existingSecretId: byKey.id,
          },
        ]),
  ];
};

export const candidateStatus = (conflicts: readonly Conflict[]): "ready" | "duplicate" | "conflict" =>
  conflicts.length === 0
    ? "ready"
    : conflicts.some(({ type }) => type === "exact_reference")
      ? "duplicate"
      : "conflict";

/** The name and key suggested by a remote secret: its name, else the last part of its reference. */
export const suggestionFor = (remoteName: string, reference: string): { name: string; key: string } => {
  const name = (remoteName.trim() || (reference.split(/[/:]/).at(-1) ?? reference)).slice(0, 160);
  return { name, key: keyOf(name) };
};
