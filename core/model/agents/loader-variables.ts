import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import { refusal } from "../shared/failure.ts";
import { type AdapterConfig, variablesOf } from "./agent-config.ts";

/** Details: `variables`, the names that are refused. */
export class LoaderVariables extends refusal(
  "loader_variables_refused",
  "unprocessable",
  "Agents can't propose environment variables that change how programs load.",
) {}

/** Variables by which a dynamic linker, a shell or an interpreter loads code or finds programs. */
const loaders = new Set(
  `PATH ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS4 IFS ZDOTDIR
   NODE_OPTIONS NODE_PATH BUN_OPTIONS ELECTRON_RUN_AS_NODE
   PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONINSPECT PYTHONBREAKPOINT
   RUBYOPT RUBYLIB GEM_PATH GEM_HOME
   JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS
   LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR
   GCONV_PATH LOCPATH LIBPATH SHLIB_PATH
   GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_ASKPASS GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR
   EDITOR VISUAL PAGER BROWSER`.split(/\s+/),
);
const families = /^(LD_|DYLD_|GLIBC_|MALLOC_|PERL|BASH_|LUA_INIT_|GIT_CONFIG|CORECLR_|COMPLUS_|NPM_CONFIG_)/;

/** Whether programs that get the variable may load code or other programs by it. */
export const isLoaderVariable = (name: string): boolean => {
  const upper = name.toUpperCase();
  return loaders.has(upper) || families.test(upper);
};

/** Refuses variables in an agent's proposal that would load unreviewed code. */
export const refuseLoaderVariables = (
  by: Actor,
  adapterConfig: AdapterConfig | undefined,
): Result.Result<void, LoaderVariables> => {
  if (by.kind !== "agent" || adapterConfig === undefined) return Result.void;
  const variables = variablesOf(adapterConfig).filter(isLoaderVariable);
  return variables.length === 0
    ? Result.void
    : Result.fail(
        new LoaderVariables(
          { path: ["adapterConfig", "env"], variables },
          `Agents can't propose ${variables.join(", ")}: they change how programs load.`,
        ),
      );
};
