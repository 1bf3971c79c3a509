import * as Result from "effect/Result";
import { ValidationFailed } from "../shared/failure.ts";
import type { ProviderId } from "./provider.ts";

/** A vault's configuration of its backend: no secrets, one flat object of the provider's own fields. */
export type VaultConfig = Readonly<Record<string, string | boolean | null>>;

type Check = (value: unknown) => string | boolean | null | Wrong;

class Wrong {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Detects credentials by their format anywhere, and by the name of their field. */
const credentials: readonly RegExp[] = [
  /(?:^|[^A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?:[^A-Z0-9]|$)/,
  /-----BEGIN /,
  /(?:^|[^\w-])eyJ[\w-]{8,}\.[\w-]{8,}\./,
  /(?:password|passwd|secret|token|api[_-]?key)\s*[=:]\s*\S/i,
];

const text =
  (max: number, shape: RegExp, reads: string): Check =>
  (value) => {
    if (value === null) return null;
    if (typeof value !== "string") return new Wrong("must be text");
    const trimmed = value.trim();
    if (trimmed === "" || trimmed.length > max) return new Wrong(`must have 1 to ${max} characters`);
    if (credentials.some((shape) => shape.test(trimmed)))
      return new Wrong("looks like a credential, which a vault must not contain");
    return shape.test(trimmed) ? trimmed : new Wrong(reads);
  };

const path = /^[A-Za-z0-9_.@+=-]+(?:\/[A-Za-z0-9_.@+=-]+)*$/;
const name = text(160, path, "must be letters, digits and _ . @ + = - in segments separated by /");
const tag = text(160, /^[\p{L}\p{N} _.:/=+@-]+$/u, "must be letters, digits, spaces and _ . : / = + - @");

const fields: Readonly<Record<ProviderId, Readonly<Record<string, Check>>>> = {
  local_encrypted: {
    backupReminderAcknowledged: (value) =>
      typeof value === "boolean" ? value : new Wrong("must be true or false"),
  },
  cloud_a_secrets_manager: {
    region: text(40, /^[a-z]{2}(?:-gov)?-[a-z]+-\d{1,2}$/, "must be a region, such as eu-central-1"),
    namespace: name,
    secretNamePrefix: name,
    kmsKeyId: text(512, /^[A-Za-z0-9:/_-]+$/, "must be the id, ARN or alias of a key"),
    ownerTag: tag,
    environmentTag: tag,
  },
  cloud_b_secret_manager: {
    projectId: text(128, /^[a-z][a-z0-9-]{4,127}$/, "must be the id of a project"),
    location: text(160, /^[a-z0-9-]+$/, "must be a location, such as europe-west1"),
    namespace: name,
    secretNamePrefix: name,
  },
  external_vault: {
    address: (value) => (value === null ? null : (originOf(value) ?? new Wrong(addressRule))),
    namespace: name,
    mountPath: name,
    secretPathPrefix: name,
  },
};

const required: Partial<Record<ProviderId, readonly string[]>> = { cloud_a_secrets_manager: ["region"] };

const addressRule =
  "must be an https origin, such as https://vault.example.com:8200, without credentials, path, query or fragment";

const originOf = (value: unknown): string | null => {
  if (typeof value !== "string" || value.length > 2048) return null;
  const trimmed = value.trim();
  // `new URL` accepts forms that people and proxies read differently: an empty query, backslashes, spaces.
  if (!/^https:\/\/[^\s/\\?#@]+\/?$/i.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    const bare = url.username === "" && url.password === "" && url.pathname === "/";
    return url.protocol === "https:" && bare && url.search === "" && url.hash === "" ? url.origin : null;
  } catch {
    return null;
  }
};

const credentialWords = [
  "accesskey",
  "accesskeyid",
  "apikey",
  "apitoken",
  "authorization",
  "authtoken",
  "bearer",
  "bearertoken",
  "clientsecret",
  "connectionstring",
  "cookie",
  "credential",
  "credentials",
  "jwt",
  "keyfile",
  "keyfilepath",
  "passphrase",
  "passwd",
  "password",
  "pem",
  "privatekey",
  "pwd",
  "recoverykey",
  "refreshtoken",
  "roleid",
  "secret",
  "secretaccesskey",
  "secretid",
  "secretkey",
  "serviceaccount",
  "serviceaccountjson",
  "sessiontoken",
  "token",
  "tokenfile",
  "tokenfilepath",
  "unsealkey",
] as const;

/** Normalises case, separators, full-width letters, accents and invisible characters. */
const plainly = (field: string): string =>
  field
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

const isCredentialShaped = (field: string): boolean => {
  const plain = plainly(field);
  return credentialWords.some((word) => plain === word || (word.length > 4 && plain.includes(word)));
};

interface Problem {
  readonly path: readonly string[];
  readonly code: string;
  readonly message: string;
}

/**
 * Validates the complete configuration to store. Refuses a field that looks like a credential at any depth, for every
 * provider; the message uses fixed words, because the field's name may contain the credential.
 */
export const vaultConfigOf = (
  provider: ProviderId,
  given: Readonly<Record<string, unknown>>,
): Result.Result<VaultConfig, ValidationFailed> => {
  const known = fields[provider];
  const problems: Problem[] = credentialFieldsIn(given, known);
  const config: Record<string, string | boolean | null> = {};
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(known, field) ? known[field] : undefined;
    if (check === undefined) {
      if (!isCredentialShaped(field))
        problems.push({
          path: ["config", safeName(field)],
          code: "unrecognized_keys",
          message: "Unknown field.",
        });
      continue;
    }
    const checked = check(value);
    if (checked instanceof Wrong)
      problems.push({ path: ["config", field], code: "custom", message: checked.message });
    else config[field] = checked;
  }
  for (const field of required[provider] ?? [])
    if (config[field] == null && !problems.some(({ path }) => path[1] === field))
      problems.push({ path: ["config", field], code: "invalid_type", message: "is required" });
  const [first] = problems;
  return first === undefined
    ? Result.succeed(config)
    : Result.fail(new ValidationFailed(problems, `${first.path.join(".")}: ${first.message}`));
};

const credentialFieldsIn = (given: unknown, known: Readonly<Record<string, Check>>): Problem[] => {
  const problems: Problem[] = [];
  const open: { value: unknown; top: boolean }[] = [{ value: given, top: true }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== "object" || at.value === null) continue;
    for (const [field, value] of Object.entries(at.value)) {
      const isOwnField = at.top && Object.hasOwn(known, field);
      if (!Array.isArray(at.value) && !isOwnField && isCredentialShaped(field))
        problems.push({
          path: ["config", wordIn(field)],
          code: "credential_field",
          message:
            "A vault must not contain credentials. The provider's credentials come from the server's environment.",
        });
      open.push({ value, top: false });
    }
  }
  return problems;
};

const wordIn = (field: string): string => {
  const plain = plainly(field);
  const words = credentialWords.filter((word) => plain.includes(word));
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
};

/** A name that cannot be a credential: few characters, letters only. */
const safeName = (field: string): string => (/^[A-Za-z_]{1,32}$/.test(field) ? field : "…");
