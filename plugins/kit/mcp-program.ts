/**
 * A program that hands variables of its environment on under other names: for programs of agents that give a server only
 * variables of their own, by their names. The values stay out of the arguments.
 */
export const renamingProgram = (
  command: string,
  args: readonly string[],
  /** The variables to read, by the names that the server needs. */
  env: Readonly<Record<string, string>>,
): { readonly command: string; readonly args: readonly string[] } => {
  const exports = Object.entries(env).map(([name, variable]) => `export ${name}="$${variable}"; `);
  return exports.length === 0
    ? { command, args }
    : { command: "sh", args: ["-c", `${exports.join("")}exec "$@"`, "sh", command, ...args] };
};
