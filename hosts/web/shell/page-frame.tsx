import { useEffect } from "react";
import { useLocation } from "wouter";
import { Icon } from "../widgets/icon.tsx";
import { KeyName } from "../widgets/keys.tsx";
import { useInboxCount } from "./inbox-count.ts";
import { LiveMark } from "./live-mark.tsx";
import { NotificationOffer } from "./notifications.tsx";
import { usePalette } from "./palette.tsx";
import { RestoredBanner } from "./restored-banner.tsx";
import { UpgradeBanner } from "./upgrade-banner.tsx";

const Tools = ({ title }: { readonly title: string }) => {
  const open = usePalette();
  useTabSigns(title);
  return (
    <>
      <LiveMark />
      <button type="button" className="button quiet" onClick={open} title="Search">
        <Icon name="search" />
        <span className="only-read">Search </span>
        <span className="wide-only">
          <KeyName keys="mod+k" />
        </span>
      </button>
    </>
  );
};

const Notices = () => {
  const [location] = useLocation();
  return (
    <>
      <RestoredBanner />
      <UpgradeBanner />
      {location === "/inbox" ? <NotificationOffer /> : null}
    </>
  );
};

/** The tools and notices that each screen shows around its content. */
export const pageFrame = { Tools, Notices };

/** How much waits for the person, in the tab: in its title and its icon. */
const useTabSigns = (title: string) => {
  const { waiting: count } = useInboxCount();
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count > 99 ? "99+" : count}) `}${title} · Boardroom`;
  }, [title, count]);
  const icon = count === 0 ? "icon.svg" : `assets/icon-${count > 9 ? "more" : count}.svg`;
  useEffect(() => {
    document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = icon;
  }, [icon]);
};
