import { useQueryClient } from "@tanstack/react-query";
import { client } from "../live/client.ts";
import { useFinalWrites } from "../nouns/final-writes.tsx";
import { forgetDrafts } from "../widgets/drafts.ts";

/** Signs out: what was decided is sent before, and nothing of the person stays. */
export const useSignOut = (): (() => Promise<void>) => {
  const queries = useQueryClient();
  const { flush } = useFinalWrites();
  return async () => {
    await flush();
    const { signOutUrl } = await client.session.delete();
    await import("./forget-device.ts").then(({ forgetDevice }) => forgetDevice()).catch(() => {});
    forgetDrafts();
    queries.clear();
    location.assign(signOutUrl ?? document.baseURI);
  };
};
