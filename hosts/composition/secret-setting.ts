import { closeSync, openSync, readSync } from "node:fs";
import { SettingInvalid } from "./setting-invalid.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Far above any key or token. */
const longestBytes = 64 * 1024;

/**
 * Returns the value of a secret setting: of the variable, or of the file that NAME_FILE names, as Docker and Kubernetes
 * mount secrets. Files and secrets often end with a line break, which is no part of a secret.
 */
export const readSecret = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim() || undefined;
  const fileVariable = `${name}_FILE`;
  const path = env[fileVariable]?.trim() || undefined;
  if (path === undefined) return value;
  if (value !== undefined)
    throw new SettingInvalid(`${fileVariable}: ${name} is set too. Set one of them only`);
  const content = readText(path, fileVariable).trim();
  if (content === "") throw new SettingInvalid(`${fileVariable}: the file ${path} is empty`);
  return content;
};

const readText = (path: string, fileVariable: string): string => {
  const buffer = Buffer.alloc(longestBytes + 1);
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0 && length < buffer.length; length += read)
        read = readSync(file, buffer, length, buffer.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new SettingInvalid(`${fileVariable}: cannot read ${path}: ${reasonOf(error)}`);
  }
  if (length > longestBytes)
    throw new SettingInvalid(
      `${fileVariable}: the file ${path} is larger than 64 KiB, so it holds no secret`,
    );
  return buffer.toString("utf8", 0, length);
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file doesn't exist",
  EACCES: "this user isn't allowed to read it",
  EISDIR: "it is a folder",
};

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? message;
};
