import { parseArgs } from "node:util";

export interface Options {
  /** Names of the rows to measure, or their prefixes; all by default. */
  readonly names: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** The number of issues of the benchmark's company, made by SQL. */
  readonly issues: number;
  /** The file for the figures as JSON. */
  readonly out: string | null;
  /** An earlier file of figures to compare with. */
  readonly compare: string | null;
  /** A folder for processor profiles of the service, one per row. */
  readonly profile: string | null;
  /** Measure the service's memory a minute after each row. */
  readonly memory: boolean;
  /** Print the statements that took the database longest in each row. */
  readonly statements: boolean;
  /** Numbers of issues to compare; null: measure the rows at one size. */
  readonly growth: readonly number[] | null;
  /** Compare one, two and four services. */
  readonly services: boolean;
  /** Compare a service with OpenTelemetry to one without. */
  readonly telemetry: boolean;
  readonly list: boolean;
}

export const usage = `npm run bench -- [growth | services | telemetry] [row …] [options]

  growth           compare the rows at several sizes of the company, round by round
  services         compare rows with one, two and four services on a database, round by round
  telemetry        compare rows without OpenTelemetry and with it, round by round

  row …            names of rows, or how they begin; all rows where none is given
  --list           print the names of the rows, and measure nothing
  --rounds N       rounds of each row, default 3
  --seconds N      length of a round, default 2
  --issues N       issues of the company, default 1000; try 100000 and 1000000
  --out FILE       write the figures as JSON
  --compare FILE   compare each row with an earlier file of figures
  --sizes N,N,…    issues of the company in each size of growth, default 1000,100000,1000000
  --memory         wait a minute after each row, and show the service's memory then
  --statements     print the ten statements of each row that took the database longest
  --profile DIR    write a processor profile of the service for each row
`;

export const readOptions = (args: readonly string[]): Options => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "2" },
      issues: { type: "string", default: "1000" },
      out: { type: "string" },
      compare: { type: "string" },
      profile: { type: "string" },
      sizes: { type: "string", default: "1000,100000,1000000" },
      memory: { type: "boolean", default: false },
      statements: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const above0 = (name: string, text: string) => {
    const value = Number(text);
    if (!(value > 0)) throw new Error(`--${name} takes a number above 0.`);
    return value;
  };
  const number = (name: "rounds" | "seconds" | "issues") => above0(name, values[name]);
  const [first] = positionals;
  const grows = first === "growth";
  const services = first === "services";
  const telemetry = first === "telemetry";
  return {
    names: grows || services || telemetry ? positionals.slice(1) : positionals,
    rounds: number("rounds"),
    seconds: number("seconds"),
    issues: number("issues"),
    out: values.out ?? null,
    compare: values.compare ?? null,
    profile: values.profile ?? null,
    memory: values.memory,
    statements: values.statements,
    growth: grows ? values.sizes.split(",").map((size) => above0("sizes", size)) : null,
    services,
    telemetry,
    list: values.list,
  };
};
