import type { EngineVolumes, FoundVolume } from "../runner-helper/engine-issue-workspaces.ts";
import { living } from "./container.ts";
import type { DockerEngine, ListedVolume } from "./docker-engine.ts";

/** A container that is younger may be about to start, or its output is read. */
const leftMs = 120_000;

/** The volumes of workspaces on an engine. */
export const dockerVolumes = (engine: DockerEngine): EngineVolumes => ({
  inspect: async (name) => {
    const found = await engine.volume(name);
    return found === null ? null : foundOf(found);
  },
  find: async (labels) => (await engine.volumes(labels)).map(foundOf),
  remove: async ({ name, uid }) => {
    const now = await engine.volume(name);
    if (now === null || foundOf(now).uid !== uid || (await engine.removeVolume(name))) return;
    // A container that has ended holds its volumes still, also where its service was killed.
    for (const { Id, State, Created } of await engine.containersWith(name))
      if (!living.includes(State) && Date.now() - Created * 1000 > leftMs) await engine.removeContainer(Id);
  },
});

const foundOf = ({ Name, CreatedAt = "" }: ListedVolume): FoundVolume => ({
  name: Name,
  uid: CreatedAt,
  madeAt: Date.parse(CreatedAt),
});
