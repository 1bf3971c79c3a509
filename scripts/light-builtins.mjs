/**
 * Built-in modules that a command line would load at its start for nothing. Importing `node:process` reads each of its
 * properties, which opens standard input: the global has the same content. Commander starts programs only for subcommands
 * in files of their own, and we have none.
 */
export const lightBuiltinsPlugin = {
  name: "light-builtins",
  setup: ({ onResolve, onLoad }) => {
    const none = {
      "node:process": "module.exports = process;",
      "node:child_process": "module.exports = {};",
    };
    onResolve({ filter: /^node:(process|child_process)$/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]commander[\\/]/.test(importer) ? { path, namespace: "light" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "light" }, ({ path }) => ({ contents: none[path] }));
  },
};
