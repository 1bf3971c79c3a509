import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clusterIn, passwordIn, superuser } from "./server-cluster.ts";

/** The URL of the server that another process runs in this directory; null where none runs. */
export const runningServerUrl = async (directory: string): Promise<string | null> => {
  const text = await readFile(join(clusterIn(directory), "postmaster.pid"), "utf8").catch(() => null);
  const port = text?.split("\n")[3];
  if (port === undefined || !/^\d+$/.test(port)) return null;
  return `postgres://${superuser}:${await passwordIn(directory)}@127.0.0.1:${port}/postgres`;
};
