import { isIP } from "node:net";
import type { SmtpSettings } from "../../adapters-infra/mail/smtp-mail.ts";
import { SettingInvalid } from "./setting-invalid.ts";
import type { Settings } from "./settings.ts";

const defaultPorts = { "smtps:": 465, "smtp:": 587 } as const;
const isProtocol = (text: string): text is keyof typeof defaultPorts => text in defaultPorts;

const address = String.raw`[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+`;
const sender = new RegExp(String.raw`^(?:${address}|[^<>@,;:"()\\\p{Cc}]+ <${address}>)$`, "u");

/** The server for email; null: none is sent. No message repeats the address, which has a password in it. */
export const mailOf = ({
  SERVICE_SMTP_URL: text,
  SERVICE_SMTP_FROM: from,
}: Settings): SmtpSettings | null => {
  if (text === undefined && from === undefined) return null;
  if (text === undefined) throw new SettingInvalid("SERVICE_SMTP_URL: is required with SERVICE_SMTP_FROM");
  if (from === undefined) throw new SettingInvalid("SERVICE_SMTP_FROM: is required with SERVICE_SMTP_URL");
  if (!sender.test(from))
    throw new SettingInvalid(
      "SERVICE_SMTP_FROM: must be an email address, or a name and an address such as Boardroom <boardroom@example.org>",
    );
  return { ...serverOf(text), from };
};

const serverOf = (text: string): Omit<SmtpSettings, "from"> => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isProtocol(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname))
    throw new SettingInvalid(
      "SERVICE_SMTP_URL: must be an address such as smtps://user:password@mail.example.org or smtp://user:password@mail.example.org:587",
    );
  if (url.search !== "" || url.hash !== "")
    throw new SettingInvalid(
      "SERVICE_SMTP_URL: must end with the host and port. TLS and the check of certificates can't be turned off",
    );
  const isHere = isLoopbackHost(url.hostname);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? defaultPorts[url.protocol] : Number(url.port),
    security: url.protocol === "smtps:" ? "tls" : isHere ? "none" : "starttls",
    credentials: credentialsOf(url),
  };
};

const credentialsOf = ({ username, password }: URL): SmtpSettings["credentials"] => {
  if (username === "" && password === "") return null;
  if (username === "" || password === "")
    throw new SettingInvalid("SERVICE_SMTP_URL: must name both a user and a password, or neither");
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new SettingInvalid("SERVICE_SMTP_URL: has a % in its user or password that must be written %25");
  }
};

/** Whether the name in an address is always this machine. */
const isLoopbackHost = (hostname: string): boolean => {
  const name = hostname.toLowerCase();
  return name === "localhost" || name === "[::1]" || (isIP(name) === 4 && name.startsWith("127."));
};
