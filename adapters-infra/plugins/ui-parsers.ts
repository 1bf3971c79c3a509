import type { UiParsers } from "../../ports/ui-parsers.ts";
import { parseBuiltIn } from "./built-in-ui-parser.ts";
import { type UiParserSandboxOptions, uiParserSandbox } from "./ui-parser-sandbox.ts";

/** A built-in parser runs in the service's own process, because a process of its own costs more than its work. */
export const uiParsers = (options: UiParserSandboxOptions = {}): UiParsers => {
  const sandbox = uiParserSandbox(options);
  return {
    parse: ({ script, isBuiltIn }, lines) =>
      isBuiltIn ? parseBuiltIn(script, lines) : sandbox.parse(script, lines),
  };
};
