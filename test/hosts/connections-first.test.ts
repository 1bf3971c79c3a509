import { expect, it } from "vitest";
import { ConnectionsFirst } from "../../hosts/http/connections-first.ts";

it("a request begins for every four connections; the others when a turn accepts none, in their order", async () => {
  const connections = new ConnectionsFirst();
  const turn = () => new Promise(setImmediate);
  expect(connections.passed()).toBeNull();
  const begun: number[] = [];
  for (let n = 0; n < 16; n++) {
    connections.accepted();
    void connections.passed()!.then(() => begun.push(n));
    await turn();
  }
  expect(begun).toEqual([0, 1, 2, 3]);
  await turn();
  expect(begun).toEqual(Array.from({ length: 16 }, (_, n) => n));
  expect(connections.passed()).toBeNull();
});
