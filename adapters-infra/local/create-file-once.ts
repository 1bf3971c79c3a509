import { randomUUID } from "node:crypto";
import { link, open, rm } from "node:fs/promises";

/**
 * Creates a file that only its owner reads. It is complete or absent, also after a crash; of several processes that
 * create it at once one wins, and a file that is there stays.
 */
export const createFileOnce = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
};
