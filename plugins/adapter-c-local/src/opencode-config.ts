import { join } from "node:path";
import type { TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { inspect } from "../../kit/inspect.ts";
import type { Json } from "../../kit/json.ts";
import { parseJsonc } from "../../kit/opencode-variable.ts";

type Env = Readonly<Record<string, string>>;

/** Returns the folder of the user's configuration. */
export const configHome = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || "/", ".config"), "opencode");

/**
 * Returns the user's configurations that affect a run, highest precedence first (1.18.33). Does not read the
 * workspace's.
 */
export const userConfigs = async (
  context: TestEnvironmentContext,
): Promise<readonly { readonly name: string; readonly config: Json }[]> => {
  const { env } = context;
  const files = [
    ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []),
    ...["opencode.jsonc", "opencode.json", "config.json"].map((name) => join(configHome(env), name)),
  ];
  const { texts: found } = await inspect(context, { texts: files });
  const texts = files.map((file) => ({
    name: file === env.OPENCODE_CONFIG ? "$OPENCODE_CONFIG" : "opencode's configuration",
    text: found.get(file) ?? "",
  }));
  return [{ name: "$OPENCODE_CONFIG_CONTENT", text: env.OPENCODE_CONFIG_CONTENT ?? "" }, ...texts].flatMap(
    ({ name, text }) => {
      const config = parseJsonc(text);
      return config === null ? [] : [{ name, config }];
    },
  );
};
