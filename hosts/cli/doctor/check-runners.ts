import type { Client } from "../../library/client.ts";
import type { Check } from "./check.ts";

type KnownRunner = Awaited<ReturnType<Client["runners"]["list"]>>[number];

/** Longer than an engine that does not answer takes to fail a check. */
const limitMs = 180_000;
const levels = { info: "ok", warn: "warn", error: "fail" } as const;

/** Starts a program on each of the operator's templates, from inside which it looks around; only admins may. */
export const checkRunners = async (client: Client): Promise<readonly Check[]> => {
  const known = await client.runners.list({}).catch((): readonly KnownRunner[] => []);
  const templates = known.filter(({ name }) => name !== "local");
  return (await Promise.all(templates.map((runner) => checkRunner(client, runner)))).flat();
};

const checkRunner = async (client: Client, { name, problem }: KnownRunner): Promise<readonly Check[]> => {
  const check = `runner ${name}`;
  if (problem !== null)
    return [
      {
        level: "fail",
        check,
        message: problem,
        hint: `Fix runners/${name}.yaml in the data directory and restart the service.`,
      },
    ];
  try {
    const signal = AbortSignal.timeout(limitMs);
    const { checks } = await client.runners.check({ runnerName: name }, { signal });
    return checks.map(({ level, message, hint }) => ({
      level: levels[level],
      check,
      message,
      ...(hint === undefined ? {} : { hint }),
    }));
  } catch (error) {
    return [{ level: "fail", check, message: `Couldn't be checked: ${(error as Error).message}` }];
  }
};
