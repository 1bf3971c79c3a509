import { secretSettings, settings } from "./settings.ts";

/** The settings that are set, without secrets and without the passwords in addresses. */
export const publicSettings = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const value = env[name];
      return value === undefined || value === "" || secretSettings.includes(name)
        ? []
        : [[name, value.replace(/\/\/[^/@]*@/, "//")]];
    }),
  );
