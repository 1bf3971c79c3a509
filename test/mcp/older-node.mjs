// The conformance program imports `globSync`, which Node 20 lacks, for a command that its scenarios do not use.
import { register } from "node:module";

const source = (text) => `data:text/javascript,${encodeURIComponent(text)}`;

const fs = source(`
  export * from "node:fs";
  export { default } from "node:fs";
  export const globSync = () => { throw new Error("Needs Node 22."); };
`);

register(
  source(`
    export const resolve = (specifier, context, next) =>
      specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/")
        ? { url: ${JSON.stringify(fs)}, shortCircuit: true }
        : next(specifier, context);
  `),
);
