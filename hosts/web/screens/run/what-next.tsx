import { Fragment } from "react";
import { Link } from "wouter";
import { useHere } from "../../nouns/companies/company.tsx";
import { withTimes } from "../../nouns/runs/situation.tsx";

/** A run as a sentence of the service names it. */
const named = /\brun ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/;

/** The sentence of the service on the next step of a run: runs in it are links, and times those of the reader. */
export const WhatNext = ({ sentence }: { readonly sentence: string }) => {
  const here = useHere();
  return sentence.split(named).map((part, at) =>
    at % 2 === 0 ? (
      <Fragment key={`${at} ${part}`}>{withTimes(part)}</Fragment>
    ) : (
      <Link key={`${at} ${part}`} href={here(`/runs/${part}`)} className="in-text">
        another run
      </Link>
    ),
  );
};
