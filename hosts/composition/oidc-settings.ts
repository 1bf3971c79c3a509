import { isIP } from "node:net";
import type { OpenIdSettings } from "../../adapters-infra/oidc/openid-providers.ts";
import { type Role, roles } from "../../core/model/access/roles.ts";
import type { RoleOfGroup } from "../../core/model/access/sign-in-provider.ts";
import { readSecret } from "./secret-setting.ts";
import { SettingInvalid } from "./setting-invalid.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const prefix = "SERVICE_OIDC_";
/** Names of settings after the prefix, or after the prefix and the name of a provider. */
export const oidcFields = [
  "ISSUER",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "CLIENT_SECRET_FILE",
  "GROUPS_CLAIM",
  "ROLES",
] as const;
type Field = (typeof oidcFields)[number];

const pattern = new RegExp(`^${prefix}(?:([A-Z0-9]+)_)?(${oidcFields.join("|")})$`);

/** The OpenID providers of the settings: `SERVICE_OIDC_…`, and further ones as `SERVICE_OIDC_<NAME>_…`. */
export const oidcOf = (env: Environment): readonly OpenIdSettings[] => {
  const byName = new Map<string, Partial<Record<Field, string>>>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || value === undefined || value === "") continue;
    const match = pattern.exec(name);
    if (match === null) throw new SettingInvalid(`${name}: is no setting of a sign-in provider`);
    const [, provider = "", field] = match;
    byName.set(provider, { ...byName.get(provider), [field as Field]: value });
  }
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, given]) => providerOf(env, name, given));
};

const providerOf = (
  env: Environment,
  name: string,
  given: Partial<Record<Field, string>>,
): OpenIdSettings => {
  const nameOf = (field: Field) => `${prefix}${name === "" ? "" : `${name}_`}${field}`;
  const required = (field: Field): string => {
    const value = field === "CLIENT_SECRET" ? readSecret(env, nameOf(field)) : given[field];
    if (value === undefined)
      throw new SettingInvalid(`${nameOf(field)}: is required for this sign-in provider`);
    return value;
  };
  const issuer = required("ISSUER");
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  if (url === null || !(url.protocol === "https:" || isLoopback(url)))
    throw new SettingInvalid(`${nameOf("ISSUER")}: must be an https address, or http on this machine`);
  return {
    id: name === "" ? "default" : name.toLowerCase(),
    name: name === "" ? url.hostname : name.charAt(0) + name.slice(1).toLowerCase(),
    issuer,
    clientId: required("CLIENT_ID"),
    clientSecret: required("CLIENT_SECRET"),
    groupsClaim: given.GROUPS_CLAIM ?? "groups",
    roles: (given.ROLES ?? "")
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "")
      .map((each) => roleOf(each, nameOf("ROLES"))),
  };
};

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" &&
  (hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127.")));

/** `ops=HAR:operator`; `*` stands for every company. */
const roleOf = (text: string, setting: string): RoleOfGroup => {
  const [, group, company, role] = /^(.+)=(\*|[A-Za-z]+):(\w+)$/.exec(text) ?? [];
  if (group === undefined || company === undefined || !roles.includes(role as Role))
    throw new SettingInvalid(
      `${setting}: must be a list such as ops=HAR:operator,leads=*:owner, with the roles ${roles.join(", ")}`,
    );
  return { group, issuePrefix: company === "*" ? null : company.toUpperCase(), role: role as Role };
};
