/** Annotations in the page: who set them, and the dialog to change them for readers with the right to write. */

import "./edit.css";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Schema } from "../api/client";
import {
  annotated,
  describe,
  NEEDED,
  removeOwner,
  removeTag,
  setOwner,
  setTag,
  type Target,
  targetOf,
  withdraw,
} from "../api/edit-queries";
import { type Dataset, type Job, TAGS } from "../api/queries";
import { callerName } from "../model/format";
import { kindOf, nameOf } from "../url/ids";
import { Button, CloseButton, Fact, Filter } from "./controls";
import { When } from "./frame";
import { useReader } from "./reader";

type Reporter = Schema<"Attribution">;

/** Who reported an annotation, and when: a caller of the API, or the producer of a facet. */
const By = ({ reporter: { producer, caller, at } }: { reporter: Reporter }) => (
  <span className="small muted" title={caller ?? producer ?? undefined}>
    {producer ? "reported" : `set${caller ? ` by ${callerName(caller)}` : " here"}`} <When time={at} />
  </span>
);

/** A line for each annotation set through the API: text, caller, time. */
export function SetHere({ of }: { of: Dataset | Job }) {
  const { description, fieldDescriptions, owners, tags } = of.reportedBy;
  const isSet = ({ producer }: Reporter) => producer === null;
  const rows = [
    ...(description && isSet(description) ? [["description", description] as const] : []),
    ...fieldDescriptions.map((text) => [`description of ${text.field}`, text] as const),
    ...owners.filter(isSet).map((owner) => [`owner ${owner.name}`, owner] as const),
    ...tags
      .filter(({ source }) => source === "API")
      .map((tag) => [`tag ${tag.name}${tag.field ? ` of ${tag.field}` : ""}`, tag] as const),
  ];
  return (
    rows.length > 0 && (
      <Fact of="Set here">
        <ul className="plain">
          {rows.map(([what, reporter]) => (
            <li key={what}>
              {what} <By reporter={reporter} />
            </li>
          ))}
        </ul>
      </Fact>
    )
  );
}

/** The dialog's button, for readers with the right to change the node's annotations. */
export function Edit({ id, namespace }: { id: string; namespace?: string }) {
  const { mayWrite } = useReader();
  const [isOpen, setOpen] = useState(false);
  const { field, name, namespace: guessed } = nameOf(id);
  const kind = kindOf(id) ?? "dataset";
  if (!mayWrite(NEEDED[kind], namespace ?? guessed)) return null;
  return (
    <>
      <button
        className={field === undefined ? "button" : "chip"}
        aria-haspopup="dialog"
        aria-label={`edit ${field ?? name}`}
        onClick={() => setOpen(true)}
      >
        Edit
      </button>
      {isOpen && <EditDialog id={id} close={() => setOpen(false)} />}
    </>
  );
}

function EditDialog({ id, close }: { id: string; close: () => void }) {
  const client = useQueryClient(),
    query = annotated(id);
  const { data: thing, error } = useQuery(query);
  const dialog = (element: HTMLDialogElement | null) => void (element && !element.open && element.showModal());
  const saving = useMutation({
    mutationFn: (act: (target: Target) => Promise<Dataset | Job>) => act(targetOf(id, thing!)),
    onSuccess: (changed) => {
      client.setQueryData(query.queryKey, changed);
      // Pictures and lists show it when they are next opened.
      void client.invalidateQueries({
        refetchType: "none",
        predicate: ({ queryKey }) => queryKey[1] !== query.queryKey[1],
      });
    },
  });
  // Send the changes in turn: a failure is shown, and its text stays.
  const save: Save = async (act) =>
    !saving.isPending &&
    saving.mutateAsync(act).then(
      () => true,
      () => false,
    );
  const { field, name } = nameOf(id);
  const failure = saving.error ?? error;
  return (
    <dialog ref={dialog} className="edit" aria-label={`edit ${field ?? name}`} onClose={close}>
      <h1>{field ?? thing?.name ?? name}</h1>
      {thing && <Parts thing={thing} target={targetOf(id, thing)} save={save} isBusy={saving.isPending} />}
      {failure && (
        <p className="bad" role="alert">
          {failure.message}
        </p>
      )}
      <p className="muted small" role="status">
        {saving.isPending ? "Saving…" : saving.isSuccess ? "Saved. It stays, whatever events report." : ""}
      </p>
      <form method="dialog" className="actions">
        <Button>Close</Button>
      </form>
    </dialog>
  );
}

/** Send a change of an annotation; true if it succeeded. */
type Save = (act: (target: Target) => Promise<Dataset | Job>) => Promise<boolean>;

function Parts({ thing, target, save, isBusy }: { thing: Dataset | Job; target: Target; save: Save; isBusy: boolean }) {
  const { field } = target,
    { reportedBy } = thing;
  const column = "fields" in thing ? thing.fields.find((reported) => reported.name === field) : undefined;
  const text = (field === undefined ? thing.description : column?.description) ?? "";
  const by =
    field === undefined
      ? reportedBy.description
      : (reportedBy.fieldDescriptions.find((reported) => reported.field === field) ?? null);
  const tags = reportedBy.tags.filter((tag) => (tag.field ?? undefined) === field);
  return (
    <fieldset {...(isBusy ? { "aria-busy": true } : {})}>
      <Description text={text} by={by} save={save} />
      {field === undefined && (
        <List title="Owners" entries={reportedBy.owners} remove={(owner) => save((to) => removeOwner(to, owner))}>
          <Adding word="owner" also="kind" add={(owner, type) => save((to) => setOwner(to, owner, type))} />
        </List>
      )}
      <List title="Tags" entries={tags} remove={(tag) => save((to) => removeTag(to, tag))}>
        <Adding word="tag" add={(tag) => save((to) => setTag(to, tag))} />
      </List>
    </fieldset>
  );
}

function Description({ text, by, save }: { text: string; by: Reporter | null; save: Save }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    void save((to) => describe(to, typed));
  };
  return (
    <form onSubmit={send}>
      <label>
        <h2>Description</h2>{" "}
        <textarea
          className="field"
          rows={3}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          aria-label="description"
        />
      </label>
      <div className="actions">
        <Button>Save the description</Button>
        {by?.producer === null && (
          <Button type="button" press={() => void save(withdraw)}>
            Withdraw it
          </Button>
        )}
        {by && <By reporter={by} />}
      </div>
    </form>
  );
}

interface ListProps {
  title: string;
  entries: readonly (Reporter & { name: string; type?: string | null })[];
  remove: (name: string) => Promise<boolean>;
  children: ReactNode;
}

function List({ title, entries, remove, children }: ListProps) {
  const section = useRef<HTMLElement>(null);
  // The button goes with its annotation.
  const drop = (name: string) => void remove(name).then((isDone) => isDone && section.current?.focus());
  return (
    <section ref={section} tabIndex={-1} aria-label={title.toLowerCase()}>
      <h2>{title}</h2>
      <ul className="rows">
        {entries.map((entry) => (
          <li key={`${entry.name} ${entry.type ?? ""}`}>
            <span>
              {entry.name}
              {entry.type && <span className="muted"> {entry.type.toLowerCase()}</span>}
            </span>
            <span className="end">
              <By reporter={entry} />
              <CloseButton look="" label={`remove ${entry.name}`} close={() => drop(entry.name)} />
            </span>
          </li>
        ))}
      </ul>
      {children}
    </section>
  );
}

interface AddingProps {
  word: string;
  also?: string;
  add: (name: string, more: string) => Promise<boolean>;
}

/** A field for a new owner or tag, with the tags in use as proposals. */
function Adding({ word, also, add }: AddingProps) {
  const [name, setName] = useState(""),
    [more, setMore] = useState("");
  const known = useQuery({ ...TAGS, enabled: word === "tag" }),
    list = useId();
  const send = (event: FormEvent) => {
    event.preventDefault();
    void add(name.trim(), more.trim()).then((isDone) => {
      if (!isDone) return;
      setName("");
      setMore("");
    });
  };
  return (
    <form className="actions" onSubmit={send}>
      <Filter label={`new ${word}`} hint={`new ${word}`} list={list} value={name} set={setName} />
      {word === "tag" && (
        <datalist id={list}>
          {known.data?.tags.map((tag) => (
            <option key={tag.name} value={tag.name} />
          ))}
        </datalist>
      )}
      {also && <Filter label={`${also} of ${word}`} hint={`${also}, if any`} value={more} set={setMore} />}
      <Button disabled={!name.trim()}>Add the {word}</Button>
    </form>
  );
}
