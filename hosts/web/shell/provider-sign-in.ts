import { client } from "../live/client.ts";

/** For the tab that began a sign-in: it survives the way to the provider and back, and no other tab has it. */
const flowKey = "boardroom.sign-in";
/** The page from which it began, such as one that asks about an assistant. */
const fromKey = "boardroom.sign-in.from";

export const beginAtProvider = async (provider: string): Promise<void> => {
  const { url, flow } = await client.session.beginByProvider({ provider });
  sessionStorage.setItem(flowKey, flow);
  sessionStorage.setItem(fromKey, location.pathname + location.search);
  location.assign(url);
};

/** Exchanges a provider's answer for a session cookie. Without the flow of this tab the service refuses it. */
export const finishAtProvider = async (provider: string, response: string): Promise<void> => {
  const flow = sessionStorage.getItem(flowKey) ?? "none";
  sessionStorage.removeItem(flowKey);
  const from = sessionStorage.getItem(fromKey);
  sessionStorage.removeItem(fromKey);
  await client.session.createByProvider({ provider, flow, response });
  if (from !== null) history.replaceState(null, "", location.origin + from);
};
