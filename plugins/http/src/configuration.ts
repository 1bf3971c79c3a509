import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import { ConfigRefusal, optionalText, requiredText, seconds, textList } from "../../kit/config.ts";
import { text, texts, timeLimit } from "../../kit/config-schema.ts";
import { asObject } from "../../kit/json.ts";

export const agentConfigurationDoc = `# http

Calls a URL once per heartbeat, and takes a 2xx answer as success. The body is JSON: payloadTemplate with \`agentId\`,
\`companyId\`, \`runId\`, \`taskId\`, \`context\` and \`prompt\` added. The answer is kept in the run's log. Redirects are not
followed.

| key | | default |
|---|---|---|
| url | http or https | required |
| method | POST, PUT or PATCH; GET sends no body | POST |
| headers | names and texts; \`{{env.NAME}}\` in a text stands for a variable of the run, such as one bound to a secret, or \`{{env.SERVICE_API_KEY}}\`, the run's token | {} |
| payloadTemplate | an object; its texts may name {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | {} |
| allowPrivateHosts | host names or addresses that may lie in a private network or on this machine | [] |
| env | variables for headers: texts, or references to secrets | {} |
| timeoutSec | the call ends after this time | 300 |

Link-local addresses, where cloud machines keep their credentials, are refused always; private ones and those of this
machine unless allowPrivateHosts names the host. The name is looked up once and the call goes to the address that was
checked. There is no unlimited call: 0, negative numbers and "none" are refused for timeoutSec.
`;

const methods = ["POST", "PUT", "PATCH", "GET"] as const;

export interface HttpConfig {
  readonly url: URL;
  readonly method: (typeof methods)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadTemplate: Readonly<Record<string, unknown>>;
  /** In lower case. */
  readonly allowPrivateHosts: ReadonlySet<string>;
  readonly timeoutSec: number;
}

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    url: {
      ...text(
        "URL",
        "It begins with http:// or https:// and holds no credentials. It is called for each run.",
      ),
      pattern: "^https?://[^/?#@\\s]+([/?#]\\S*)?$",
    },
    method: { ...text("Method"), enum: methods, default: "POST" },
    headers: {
      type: "object",
      title: "Headers",
      additionalProperties: { type: "string" },
    },
    payloadTemplate: { type: "object", title: "Body" },
    allowPrivateHosts: texts("Allowed private hosts"),
    timeoutSec: timeLimit("Time limit", 300),
  },
  required: ["url"],
};

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): HttpConfig => ({
  url: readUrl(requiredText(config, "url")),
  method: readMethod(optionalText(config, "method")),
  headers: readHeaders(config.headers),
  payloadTemplate: readObject("payloadTemplate", config.payloadTemplate),
  allowPrivateHosts: new Set(textList(config, "allowPrivateHosts").map((host) => hostName(host.trim()))),
  timeoutSec: seconds(config, "timeoutSec", 300),
});

/** An IPv6 address without the brackets that it has in a URL. */
export const hostName = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();

const readUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new ConfigRefusal("url", "is not a URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigRefusal("url", "must begin with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    throw new ConfigRefusal("url", "must hold no credentials; put them into headers, from the agent's env.");
  return url;
};

const readMethod = (text: string | undefined): HttpConfig["method"] => {
  const method = methods.find((candidate) => candidate === (text ?? "POST").toUpperCase());
  if (method === undefined) throw new ConfigRefusal("method", `must be one of ${methods.join(", ")}.`);
  return method;
};

const readObject = (key: string, value: unknown): Readonly<Record<string, unknown>> => {
  const object = value == null ? {} : asObject(value);
  if (object === null) throw new ConfigRefusal(key, "must be an object.");
  return object;
};

/** Headers of the connection, not of the request. */
const reserved = /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer)$/i;

const readHeaders = (value: unknown): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(readObject("headers", value))) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || reserved.test(name))
      throw new ConfigRefusal(`headers.${name.slice(0, 60)}`, "is no header that can be set.");
    if (typeof text !== "string") throw new ConfigRefusal(`headers.${name}`, "must be a text.");
    headers[name] = text;
  }
  return headers;
};
