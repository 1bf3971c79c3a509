/** The address where a link of an agent's text may lead: http and https alone; null for everything else. */
export const safeLink = (href: string): string | null => {
  try {
    const url = new URL(href);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
};
