import { Link, useLocation, useSearchParams } from "wouter";
import { baseUrl } from "../live/client.ts";
import type { Company } from "../live/records.ts";
import { useSession } from "../live/session.ts";
import { Avatar } from "../nouns/avatar.tsx";
import { Icon } from "../widgets/icon.tsx";
import { Menu, type MenuItem } from "../widgets/menu.tsx";
import { chooseTheme, readTheme, themeIcons, themeLabels, themes } from "../widgets/theme.ts";
import { useInboxCount } from "./inbox-count.ts";
import { type NavigationItem, navigation } from "./navigation.ts";
import { notificationItems } from "./notifications.tsx";
import { useSignOut } from "./sign-out.ts";

const pathOf = ({ path, inCompany }: NavigationItem, company: Company | null): string =>
  inCompany ? `/${company?.issuePrefix ?? ""}${path}` : path;

const useIsHere = (): ((path: string) => boolean) => {
  const [location] = useLocation();
  return (path) => location === path || location.startsWith(`${path}/`);
};

interface SidebarProps {
  readonly company: Company | null;
  readonly companies: readonly Company[];
}

export const Sidebar = ({ company, companies }: SidebarProps) => (
  <div className="sidebar">
    <CompanySwitcher company={company} companies={companies} />
    <nav aria-label="Pages" className="side-links">
      {navigation
        .filter(({ inCompany }) => company !== null || !inCompany)
        .map((item) => (
          <NavigationLink key={item.path} item={item} company={company} />
        ))}
    </nav>
    <PersonMenu />
  </div>
);

const NavigationLink = ({
  item,
  company,
}: {
  readonly item: NavigationItem;
  readonly company: Company | null;
}) => {
  const isHere = useIsHere();
  const path = pathOf(item, company);
  return (
    <Link href={path} className="side-link" aria-current={isHere(path) ? "page" : undefined}>
      <Icon name={item.icon} />
      <span className="grow">{item.label}</span>
      {item.path === "/inbox" ? <InboxCount /> : null}
    </Link>
  );
};

const InboxCount = () => {
  const { waiting, hasNews } = useInboxCount();
  if (waiting === 0)
    return hasNews ? (
      <span className="news-dot">
        <span className="only-read">has news</span>
      </span>
    ) : null;
  return (
    <span className="count">
      {waiting > 99 ? "99+" : waiting}
      <span className="only-read"> need your attention</span>
    </span>
  );
};

const useCompanyItems = ({ company, companies }: SidebarProps): readonly MenuItem[] => {
  const [, go] = useLocation();
  const { createCompany } = useSession().callerMay;
  return [
    ...companies.map((each) => ({
      label: each.name,
      hint: each.issuePrefix,
      isChosen: each.id === company?.id,
      run: () => go(`/${each.issuePrefix}/pulse`),
    })),
    ...(createCompany.allowed
      ? [{ label: "New company", icon: "plus" as const, run: () => go("/new") }]
      : []),
  ];
};

const CompanySwitcher = ({ company, companies }: SidebarProps) => {
  const items = useCompanyItems({ company, companies });
  const [location] = useLocation();
  const [params] = useSearchParams();
  if (location === "/inbox" && companies.length > 1 && !params.has("company"))
    return (
      <Menu
        label="Switch company"
        className="switcher"
        items={items}
        button={
          <>
            <span className="switcher-logo">
              <Icon name="inbox" size={14} />
            </span>
            <span className="cut grow">All companies</span>
            <Icon name="chevrons-up-down" size={14} />
          </>
        }
      />
    );
  return (
    <Menu
      label="Switch company"
      className="switcher"
      items={items}
      button={
        <>
          {company?.logoAssetId ? (
            <img
              className="switcher-logo"
              src={`${baseUrl}/api/assets/${company.logoAssetId}/content`}
              alt=""
            />
          ) : (
            <span className="switcher-logo" aria-hidden="true">
              {(company?.name ?? "B").slice(0, 1)}
            </span>
          )}
          <span className="cut grow">{company?.name ?? "Boardroom"}</span>
          <Icon name="chevrons-up-down" size={14} />
        </>
      }
    />
  );
};

/** Called while the menu is open: asking the browser about notifications waits for another process. */
const usePersonItems = (): (() => readonly MenuItem[]) => {
  const { callerMay: may } = useSession();
  const [, go] = useLocation();
  const signOut = useSignOut();
  return () => [
    { label: "Your profile", icon: "user", run: () => go("/profile") },
    ...themes.map((theme) => ({
      label: themeLabels[theme],
      icon: themeIcons[theme],
      isChosen: theme === readTheme(),
      run: () => chooseTheme(theme),
    })),
    ...(may.inspect.allowed
      ? [{ label: "Instance", icon: "settings" as const, run: () => go("/instance") }]
      : []),
    ...notificationItems(),
    { label: "Sign out", icon: "log-out", run: () => void signOut() },
  ];
};

const PersonMenu = () => {
  const { name } = useSession();
  return (
    <Menu
      label={`Signed in as ${name}`}
      className="side-link person"
      items={usePersonItems()}
      button={
        <>
          <Avatar kind="person" name={name} />
          <span className="cut grow">{name}</span>
        </>
      }
    />
  );
};

/** The sidebar of narrow screens: four entries, and the rest behind a fifth. */
export const BottomBar = ({ company, companies }: SidebarProps) => {
  const isHere = useIsHere();
  const companyItems = useCompanyItems({ company, companies });
  const personItems = usePersonItems();
  const [, go] = useLocation();
  const shown = navigation.filter(({ inCompany }) => company !== null || !inCompany);
  return (
    <nav aria-label="Pages" className="bottom-bar">
      {shown
        .filter(({ isFirst }) => isFirst)
        .map((item) => (
          <Link
            key={item.path}
            href={pathOf(item, company)}
            className="bottom-link"
            aria-current={isHere(pathOf(item, company)) ? "page" : undefined}
          >
            <span className="bottom-icon">
              <Icon name={item.icon} size={20} />
              {item.path === "/inbox" ? <InboxCount /> : null}
            </span>
            {item.label}
          </Link>
        ))}
      <Menu
        label="More"
        className="bottom-link"
        align="end"
        items={() => [
          ...shown
            .filter(({ isFirst }) => !isFirst)
            .map((item) => ({
              label: item.label,
              icon: item.icon,
              run: () => go(pathOf(item, company)),
            })),
          ...companyItems.map((item) => ({ icon: "building" as const, ...item })),
          ...personItems(),
        ]}
        button={
          <>
            <span className="bottom-icon">
              <Icon name="ellipsis" size={20} />
            </span>
            More
          </>
        }
      />
    </nav>
  );
};
