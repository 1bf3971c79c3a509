import { z } from "zod";
import { actingOnInstance } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { VolumeShape } from "./volume-shapes.ts";

export const volumes = {
  list: endpoint({
    method: "GET",
    path: "/api/volumes",
    summary: "List the hosts of agents",
    description:
      "A volume keeps the workspaces and sessions of agents: the disk of a host, or a folder that several hosts share. Services that only answer requests hold none.",
    access: actingOnInstance("inspect"),
    returns: z.array(VolumeShape).readonly(),
    run: ({ views }) => views.volumes.list(),
  }),
};
