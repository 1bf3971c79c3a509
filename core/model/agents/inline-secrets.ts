import type { AdapterConfig } from "./agent-config.ts";

const sensitiveName =
  /key|token|secret|passw|passphrase|credential|cookie|jwt|auth|bearer|dsn|connection_?string/i;

/** The forms of keys of well-known services, signed tokens, private keys, and addresses with a password. */
const sensitiveValue =
  /^(?:sk-|[sr]k_live_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|npm_|eyJ[\w-]+\.[\w-]+\.|-----BEGIN )|:\/\/[^/\s:@]+:[^/\s@]+@/;

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** Whether a setting may be a plaintext secret, judged by its name or the format of its value. */
export const resemblesSecret = (name: string, value: string): boolean =>
  sensitiveName.test(name) || sensitiveValue.test(value);

/** Returns the variables whose plain values look like secrets, judged by their names or formats. */
export const secretLikeVariables = ({
  env,
}: AdapterConfig): readonly (readonly [name: string, value: string])[] =>
  Object.entries(asRecord(env)).flatMap(([name, binding]) => {
    const value = typeof binding === "string" ? binding : asRecord(binding).value;
    return typeof value === "string" && resemblesSecret(name, value) ? [[name, value] as const] : [];
  });

/** Finds settings that look like plaintext secrets: variables, and headers that do not refer to a variable. */
export const inlineSecretsOf = (config: AdapterConfig): readonly string[] => [
  ...secretLikeVariables(config).map(([name]) => `env.${name}`),
  ...Object.entries(asRecord(config.headers))
    .filter(
      ([name, text]) => sensitiveName.test(name) && typeof text === "string" && !text.includes("{{env."),
    )
    .map(([name]) => `headers.${name}`),
];
