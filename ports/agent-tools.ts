/**
 * A server of the Model Context Protocol. Headers and variables name variables of the run's environment that hold their
 * values: these stay out of files and arguments.
 */
export type McpServerOfRun = { readonly name: string } & (
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
);
