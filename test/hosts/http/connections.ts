import { describe, expect, test } from "vitest";
import { waitingClients } from "../../support/waiting-clients.ts";
import { answer, type Engine, serving } from "./engines.ts";

const paths = Array.from({ length: 100 }, (_, n) => `/${n}`);

export const connectionsComeFirst = (engine: Engine): void => {
  describe("connections that wait in the kernel", () => {
    test.runIf(process.platform === "linux")(
      "are accepted before most requests begin, so that one which cannot wait overtakes them",
      async () => {
        const begun: string[] = [];
        const { port } = await serving(engine, async (request) => {
          if (request.path !== "/health") await request.connectionsAccepted();
          begun.push(request.path);
          return answer(request.path);
        });
        const clients = await waitingClients(port, [...paths, "/health"]);
        const answers = await Promise.all(clients.map((client) => client.answer()));
        expect(answers.map(({ body }) => body)).toEqual([...paths, "/health"]);
        // One of four had begun, and the rest in their order.
        expect(begun.indexOf("/health")).toBeLessThan(30);
        expect(begun.filter((path) => path !== "/health")).toEqual(paths);
      },
    );

    test.runIf(process.platform === "linux")(
      "are accepted and answered though a stop begins, and though their requests had to wait",
      async () => {
        const { port, listener } = await serving(engine, async (request) => {
          await request.connectionsAccepted();
          return answer(request.path);
        });
        const clients = await waitingClients(port, paths);
        const over = listener.close(30_000);
        const answers = await Promise.all(clients.map((client) => client.answer()));
        expect(answers.map(({ body }) => body)).toEqual(paths);
        await over;
      },
    );

    test("delay no request where none waits", async () => {
      const waits: unknown[] = [];
      const { open } = await serving(engine, async (request) => {
        waits.push(request.connectionsAccepted());
        return answer("");
      });
      const client = await open();
      for (let n = 0; n < 3; n++) {
        client.request("GET / HTTP/1.1", "Host: x");
        await client.answer();
      }
      expect(waits.slice(1)).toEqual([null, null]);
    });
  });
};
