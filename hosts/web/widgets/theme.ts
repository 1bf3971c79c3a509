export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const themeLabels = {
  system: "System theme",
  light: "Light theme",
  dark: "Dark theme",
} as const;
export const themeIcons = { system: "monitor", light: "sun", dark: "moon" } as const;

/** A preference, the one kind of thing that is kept in localStorage. */
const key = "boardroom.theme";

export const readTheme = (): Theme => {
  const stored = localStorage.getItem(key);
  return themes.find((theme) => theme === stored) ?? "system";
};

export const applyTheme = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(key, theme);
  applyTheme(theme);
};
