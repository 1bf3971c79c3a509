import type { Reporter, TestModule } from "vitest/node";

const shown = 15;

/** Prints the slowest files at the end of a run. */
export class SlowFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
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
