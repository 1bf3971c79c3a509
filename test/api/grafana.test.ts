import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { root } from "../support/imports.ts";

let api: ApiService;
let exposed: ReadonlySet<string>;
beforeAll(async () => {
  api = await startApi();
  // Answers are counted from the first scrape on.
  await api.get("/metrics");
  await api.get("/api/session");
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${api.token}` } });
  exposed = new Set(
    (await response.text()).split("\n").flatMap((line) => /^([a-z_]+)(?=[{ ])/.exec(line)?.[1] ?? []),
  );
});
afterAll(() => api?.stop());

const file = (name: string) => readFile(join(root, "deploy/grafana", name), "utf8");
/** The names of series in an expression of PromQL. `up` is Prometheus's own. */
const seriesIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:boardroom|process|nodejs)_[a-z_]+/g)].map(([name]) => name);

it("The dashboard shows only series that the service has, in each of its panels", async () => {
  const dashboard = JSON.parse(await file("dashboard.json"));
  for (const { title, targets } of dashboard.panels)
    for (const { expr } of targets) {
      expect(seriesIn(expr), title).not.toEqual([]);
      for (const name of seriesIn(expr)) expect([...exposed], `${title}: ${name}`).toContain(name);
    }
  const ids = dashboard.panels.map(({ id }: { id: number }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it("Each alert rule asks for series that the service has", async () => {
  const rules = (await file("alerts.yaml")).split(/^ {6}- alert: /m).slice(1);
  expect(rules.length).toBeGreaterThan(5);
  for (const rule of rules) {
    const [name = ""] = rule.split("\n");
    const series = seriesIn(/expr: ([\s\S]*?)\n {8}for:/.exec(rule)?.[1] ?? "");
    if (name !== "BoardroomDown") expect(series, name).not.toEqual([]);
    for (const each of series) expect([...exposed], `${name}: ${each}`).toContain(each);
    expect(rule, name).toMatch(/for: \d+m\n {8}labels: .*severity[\s\S]*summary: \S/);
  }
});

it("Each series of the service's own is on the dashboard or in a rule", async () => {
  const shown = new Set(seriesIn(`${await file("dashboard.json")} ${await file("alerts.yaml")}`));
  const own = [...exposed].filter(
    (name) => name.startsWith("boardroom_") && !/_(bucket|sum|count)$|backup_bytes/.test(name),
  );
  expect(own.length).toBeGreaterThan(5);
  for (const name of own) expect([...shown], name).toContain(name);
});
