// Tables of plain data in place of the declarations from which they are read, and which bring zod with them: of the wire, for
// clients in browsers and on the command line, and of the command line's commands.
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const tablesPlugin = {
  name: "tables",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]declared-(wire|commands)\.ts$/ }, async ({ path }) => {
      // Next to the packages that it imports.
      const folder = await mkdtemp(join(root, "node_modules", ".boardroom-table-"));
      try {
        const outfile = join(folder, "table.mjs");
        await build({
          entryPoints: [path],
          outfile,
          bundle: true,
          packages: "external",
          platform: "node",
          format: "esm",
          logLevel: "warning",
        });
        const tables = Object.entries(await import(pathToFileURL(outfile).href));
        return {
          contents: tables
            .map(
              ([name, table]) =>
                `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))});`,
            )
            .join("\n"),
          loader: "js",
        };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  },
};
