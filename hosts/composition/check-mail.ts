import * as Effect from "effect/Effect";
import { smtpMail } from "../../adapters-infra/mail/smtp-mail.ts";
import { readConfig } from "./config.ts";

export interface CheckedMail {
  /** `host:port`. */
  readonly server: string;
  readonly from: string;
  /** null: the server is ready. */
  readonly problem: string | null;
}

/** Signs in to the mail server of the settings without sending anything; null: none is set. */
export const checkMailOf = async (
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckedMail | null> => {
  if (!Object.keys(env).some((name) => name.startsWith("SERVICE_SMTP_"))) return null;
  const { mail } = readConfig(env);
  if (mail === null) return null;
  const problem = await Effect.runPromise(smtpMail(mail).check());
  return { server: `${mail.host}:${mail.port}`, from: mail.from, problem };
};
