import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

let serial = 0;

/** A viewer with a name of their own, in a company. */
const aPerson = async (companyId: string, name = `Ada Quay ${++serial}`) => {
  const user = await api.user(companyId, "viewer");
  await api.patch(`/api/board-users/${user.id}`, { name });
  return { ...user, name };
};

const inboxOf = async (user: { readonly token: string }) =>
  (await api.get("/api/inbox", user)).body.map(({ id, reason }: { id: string; reason: string }) => ({
    id,
    reason,
  }));
const comment = (issueId: string, body: string, as?: { readonly token: string }) =>
  api.make(`/api/issues/${issueId}/comments`, { body }, as);

describe("A person who is mentioned in a comment", () => {
  it("gets an entry in the inbox until they see the issue", async () => {
    const { id: companyId } = await api.company();
    const [ada, ben] = [await aPerson(companyId), await aPerson(companyId)];
    const { id } = await api.issue(companyId);
    await comment(id, `Please look, @${ada.name.toUpperCase()}.`);
    expect(await inboxOf(ada)).toEqual([{ id: `mention:${id}`, reason: "You were mentioned in a comment." }]);
    expect(await inboxOf(ben)).toEqual([]);
    // Further comments are news of the same entry.
    await comment(id, "And one more thing.");
    expect((await inboxOf(ada)).map((entry: { id: string }) => entry.id)).toEqual([`mention:${id}`]);
    await api.put(`/api/issues/${id}/watchers/me`, {}, ada);
    expect(await inboxOf(ada)).toEqual([]);
    await comment(id, "Without a name.");
    expect((await inboxOf(ada)).map((entry: { id: string }) => entry.id)).toEqual([`watched_issue:${id}`]);
  });

  it("is named by the key of the name, and not in code, addresses or by themselves", async () => {
    const { id: companyId } = await api.company();
    const ada = await aPerson(companyId);
    const issue = async (body: string, as?: { readonly token: string }) => {
      const { id } = await api.issue(companyId);
      await comment(id, body, as);
      return id;
    };
    const key = ada.name.toLowerCase().replaceAll(" ", "-");
    const named = await issue(`@${key} please`);
    await issue(`\`@${ada.name}\``);
    await issue(`mail@${ada.name}`);
    const operator = await api.user(companyId, "operator");
    await api.patch(`/api/board-users/${operator.id}`, { name: "Operator Olga" });
    const own = await issue("I am @Operator Olga", operator);
    expect((await inboxOf(ada)).map((entry: { id: string }) => entry.id)).toEqual([`mention:${named}`]);
    expect((await inboxOf(operator)).map((entry: { id: string }) => entry.id)).not.toContain(
      `mention:${own}`,
    );
  });

  it("is one of the company's: others of that name learn nothing", async () => {
    const [{ id: one }, { id: other }] = [await api.company(), await api.company()];
    const name = `Same Name ${++serial}`;
    const [here, elsewhere] = [await aPerson(one, name), await aPerson(other, name)];
    const { id } = await api.issue(one);
    await comment(id, `@${name}?`);
    expect((await inboxOf(here)).length).toBe(1);
    expect(await inboxOf(elsewhere)).toEqual([]);
  });

  it("is not the agent with the longer name", async () => {
    const { id: companyId } = await api.company();
    const short = `Nia ${++serial}`;
    const nia = await aPerson(companyId, short);
    await api.agent(companyId, { name: `${short} Stone` });
    const { id } = await api.issue(companyId);
    await comment(id, `@${short} Stone, go on.`);
    expect(await inboxOf(nia)).toEqual([]);
  });
});
