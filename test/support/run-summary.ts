import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const shown = 15;

/** Prints the slowest files at the end of a run, and the tests that passed only when they were tried again, with what failed before. */
export class RunSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const unsteady = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky)
        .flatMap((test) => [
          `  ${module.relativeModuleId}: ${test.fullName}`,
          ...(test.result().errors ?? []).flatMap(({ message, stacks = [] }) => [
            `    ${message}`,
            ...stacks.map(({ file, line }) => `      ${relative(process.cwd(), file)}:${line}`),
          ]),
        ]),
    );
    if (unsteady.length > 0)
      process.stdout.write(`\n${["Passed only when tried again:", ...unsteady].join("\n")}\n`);
    if (modules.length < shown) return;
    const files = modules
      .map((module) => ({ name: module.relativeModuleId, ms: wholeMs(module) }))
      .sort((one, other) => other.ms - one.ms);
    const totalMs = files.reduce((sum, { ms }) => sum + ms, 0);
    const lines = files.slice(0, shown).map(({ name, ms }) => `${seconds(ms)}  ${name}`);
    process.stdout.write(
      `\n${[`${seconds(totalMs)}  all ${files.length} files, the slowest of them:`, ...lines].join("\n")}\n`,
    );
  }
}

/** Loading, hooks and tests. */
const wholeMs = (module: TestModule): number => {
  const { prepareDuration, environmentSetupDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return prepareDuration + environmentSetupDuration + collectDuration + setupDuration + duration;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(7)} s`;
