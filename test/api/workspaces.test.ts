import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let companyId: string;
const here = randomUUID();
const away = randomUUID();

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  await api.sql`
    insert into services (id, host, pid, role, volume, started_at, lease_until)
    values (${randomUUID()}, 'harbour/boot/pid', 1, 'worker', ${here}, now(), now() + interval '1 hour')`;
  await api.sql`
    insert into volumes (id, host, seen_at, abandoned_at) values
    (${here}, 'harbour', now(), now() + interval '1 hour'),
    (${away}, 'quarry', now() - interval '10 hours', now() + interval '1 hour')`;
});
afterAll(() => api.stop());

/** An agent whose files are there, with a session. */
const agentOn = async (volume: string | null) => {
  const agent = await api.agent(companyId);
  await api.sql`update agents set volume = ${volume}, volume_since = now() where id = ${agent.id}`;
  await api.sql`
    insert into task_sessions (company_id, agent_id, adapter_type, task_key, params, last_run_id, updated_at, volume)
    values (${companyId}, ${agent.id}, 'process', 'a', '{}', ${randomUUID()}, now(), ${volume})`;
  return agent.id as string;
};
const release = (agentId: string, body: object = {}) =>
  api.post(`/api/agents/${agentId}/workspace/release`, body);
const sessionsOf = async (agentId: string) =>
  (await api.sql`select from task_sessions where agent_id = ${agentId}`).length;
const loggedOf = async (agentId: string) =>
  (await api.get(`/api/companies/${companyId}/activity?entityId=${agentId}`)).body.filter(
    ({ action }: { action: string }) => action === "agent.workspace_released",
  );

describe("An agent's workspace", () => {
  it("is shown with its host, and when that is abandoned", async () => {
    const [near, far, nowhere] = [await agentOn(here), await agentOn(away), await agentOn(null)];
    const shown = async (id: string) => (await api.get(`/api/agents/${id}`)).body.workspace;
    expect(await shown(near)).toMatchObject({
      host: "harbour",
      reachable: true,
      givenUpAt: null,
      volume: here,
    });
    expect(await shown(far)).toMatchObject({
      host: "quarry",
      reachable: false,
      givenUpAt: expect.any(String),
      since: expect.any(String),
    });
    expect(await shown(nowhere)).toBeNull();
    const list = (await api.get(`/api/companies/${companyId}/agents`)).body;
    expect(list.find(({ id }: { id: string }) => id === far).workspace.host).toBe("quarry");
  });

  it("is what a queued run waits for while its host does not answer, but not one on an engine", async () => {
    const far = await agentOn(away);
    const { id } = await api.make(`/api/agents/${far}/heartbeat/invoke`);
    const { body } = await api.get(`/api/heartbeat-runs/${id}`);
    expect(body.waitsFor).toMatch(
      /^Waiting for host quarry, which has .* \(last seen 36\d{3} s ago\)\. At 20.* the run moves to another host without them\.$/,
    );
    expect(body.whatNext).toBe(body.waitsFor);
    await api.sql`update volumes set abandoned_at = now() - interval '1 second' where id = ${away}`;
    const later = (await api.get(`/api/heartbeat-runs/${id}`)).body;
    expect(later.whatNext).toMatch(/^No longer waiting for host quarry/);
    await api.sql`update volumes set abandoned_at = now() + interval '1 hour' where id = ${away}`;
    await api.sql`update agents set runtime_config = '{"runner":"cluster"}' where id = ${far}`;
    expect((await api.get(`/api/heartbeat-runs/${id}`)).body.whatNext).toMatch(/Runner cluster/);
  });

  it("does not count as a wake that could start while it waits", async () => {
    const { oldestStartableWakeSec: before } = (await api.get("/api/health")).body;
    const far = await agentOn(away);
    await api.make(`/api/agents/${far}/heartbeat/invoke`);
    expect((await api.get("/api/health")).body.oldestStartableWakeSec).toBe(before);
    const near = await agentOn(here);
    await api.make(`/api/agents/${near}/heartbeat/invoke`);
    expect((await api.get("/api/health")).body.oldestStartableWakeSec).not.toBeNull();
  });

  it("is released although runs wait for it, with a word in the activity log, and only once", async () => {
    const far = await agentOn(away);
    await api.make(`/api/agents/${far}/heartbeat/invoke`);
    const { status, body } = await release(far);
    expect([status, body.workspace]).toEqual([200, null]);
    expect(await sessionsOf(far)).toBe(0);
    expect((await release(far)).status).toBe(200);
    expect(await loggedOf(far)).toMatchObject([
      {
        details: {
          host: "quarry",
          to: null,
          sessions: 1,
          lost: "It continues without its workspace files on quarry and without its session.",
        },
      },
    ]);
  });

  it("moves to a named host, and loses nothing where it is there already or was nowhere", async () => {
    const far = await agentOn(away);
    expect((await release(far, { to: here })).body.workspace.host).toBe("harbour");
    const near = await agentOn(here);
    expect((await release(near, { to: here })).status).toBe(200);
    expect([await sessionsOf(near), await loggedOf(near)]).toEqual([1, []]);
    const fresh = (await api.agent(companyId)).id;
    expect((await release(fresh, { to: here })).body.workspace.host).toBe("harbour");
    expect(await loggedOf(fresh)).toMatchObject([{ details: { host: null, to: "harbour", lost: null } }]);
  });

  it("is not released under a running run, from a terminated agent, or to a host that is not known", async () => {
    const near = await agentOn(here);
    const { id } = await api.make(`/api/agents/${near}/heartbeat/invoke`);
    await api.sql`update runs set status = 'running', volume = ${here}, started_at = now() where id = ${id}`;
    expect(await release(near)).toMatchObject({ status: 409, body: { code: "workspace_in_use" } });
    await api.sql`update runs set status = 'succeeded', finished_at = now() where id = ${id}`;
    expect(await release(near, { to: randomUUID() })).toMatchObject({
      status: 422,
      body: { code: "volume_unknown", details: { path: ["to"] } },
    });
    expect(await release(near, { to: "harbour" })).toMatchObject({ status: 400 });
    expect(await release(near, { host: here })).toMatchObject({ status: 400 });
    expect(await sessionsOf(near)).toBe(1);
    await api.make(`/api/agents/${near}/terminate`);
    expect(await release(near)).toMatchObject({ status: 409, body: { code: "agent_terminated" } });
  });
});

describe("The list of volumes", () => {
  it("names hosts with their live services, agents and running runs, and not of terminated agents", async () => {
    await api.sql`update agents set volume = null`;
    const near = await agentOn(here);
    const gone = await agentOn(away);
    await api.make(`/api/agents/${gone}/terminate`);
    const { id } = await api.make(`/api/agents/${near}/heartbeat/invoke`);
    await api.sql`update runs set status = 'running', volume = ${here}, started_at = now() where id = ${id}`;
    expect((await api.get("/api/volumes")).body).toMatchObject([
      {
        host: "harbour",
        reachable: true,
        givenUpAt: null,
        services: [{ host: "harbour/boot/pid", role: "worker" }],
        agents: 1,
        runsRunning: 1,
      },
      {
        host: "quarry",
        reachable: false,
        givenUpAt: expect.any(String),
        services: [],
        agents: 0,
        runsRunning: 0,
      },
    ]);
  });
});
