import { settings } from "./settings.ts";

/** Secrets, and addresses that may hold one. */
const secret = /KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL/;

/** The settings that are set, without secrets and without the passwords in addresses. */
export const publicSettings = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const value = env[name];
      return value === undefined || value === "" || secret.test(name)
        ? []
        : [[name, value.replace(/\/\/[^/@]*@/, "//")]];
    }),
  );
