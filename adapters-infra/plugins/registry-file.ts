import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import type { InstalledAdapter } from "../../ports/adapter-packages.ts";

/** People write into this file, so it need not have what only we need. */
const Entry = z
  .looseObject({
    id: z.string().optional(),
    packageName: z.string().min(1).nullish(),
    localPath: z.string().refine(isAbsolute, "must be absolute").nullish(),
    type: z.string().regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, "must be snake_case"),
    version: z.string().optional(),
    installedAt: z.string().optional(),
    integrity: z.string().nullish(),
  })
  .refine(
    ({ packageName, localPath }) => (packageName ?? localPath) != null,
    "needs packageName or localPath",
  );

export interface RegistryFile {
  /** Entries that make no sense are left out, and told. A file that is none is as if it were empty. */
  read(): Promise<readonly InstalledAdapter[]>;
  write(entries: readonly InstalledAdapter[]): Promise<void>;
}

export const registryFile = (path: string, onProblem: (message: string) => void): RegistryFile => ({
  read: async () => {
    const text = await readFile(path, "utf8").catch(() => "[]");
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      onProblem(`${path} is not JSON; it counts as empty.`);
      return [];
    }
    if (!Array.isArray(given)) {
      onProblem(`${path} must hold an array; it counts as empty.`);
      return [];
    }
    return given.flatMap((entry: unknown, at): InstalledAdapter[] => {
      const parsed = Entry.safeParse(entry);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        onProblem(`${path}, entry ${at + 1}: ${issue?.path.join(".")} ${issue?.message}. It is left out.`);
        return [];
      }
      const { id, packageName, localPath, type, version, installedAt, integrity } = parsed.data;
      return [
        {
          id: id ?? type,
          packageName: localPath == null ? (packageName ?? null) : null,
          localPath: localPath ?? null,
          type,
          version: version ?? "0.0.0",
          installedAt: installedAt ?? new Date(0).toISOString(),
          integrity: integrity ?? null,
        },
      ];
    });
  },
  write: async (entries) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const beside = `${path}.${process.pid}.new`;
    await writeFile(beside, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
    await rename(beside, path);
  },
});
