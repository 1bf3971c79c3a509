import type { Terminal } from "../terminal.ts";
import type { Check } from "./check.ts";

/** Signs in to the mail server as the service would. */
export const checkMail = async (env: Terminal["env"]): Promise<readonly Check[]> => {
  const check = "email";
  const [{ checkMailOf }, { SettingInvalid }] = await Promise.all([
    import("../../composition/check-mail.ts"),
    import("../../composition/setting-invalid.ts"),
  ]);
  try {
    const checked = await checkMailOf(env);
    if (checked === null) return [];
    const { server, from, problem } = checked;
    if (problem === null) return [{ level: "ok", check, message: `${server} answers, sender ${from}` }];
    const hint = "Start that server, or correct SERVICE_SMTP_URL (docs/configuration.md).";
    return [{ level: "fail", check, message: `${server}: ${problem}`, hint }];
  } catch (error) {
    if (!(error instanceof SettingInvalid)) throw error;
    return [{ level: "fail", check, message: error.message, hint: "See docs/configuration.md." }];
  }
};
