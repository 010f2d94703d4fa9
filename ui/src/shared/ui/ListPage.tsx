import { Button } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import page from './Page.module.css';
import { ProblemNote } from './ProblemNote.tsx';
import table from './Table.module.css';
import { useRowKeys } from './useRowKeys.ts';
import { useTitle } from './useTitle.ts';

/** A column of a list. One whose name is unseen is named for those who hear the page. */
export interface Column {
  name: string;
  isUnseen?: boolean;
}

interface Props<T> {
  title: string;
  /** What stands beside the title: filters. */
  aside?: ReactNode;
  list: UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>;
  columns: Column[];
  /** What is said when there is nothing. */
  empty: ReactNode;
  /** One row; its link that a row opens has data-row-link. */
  row: (item: T) => ReactElement;
}

/** A page that is a table of what the server lists, page by page: with its errors, its emptiness and its keys. */
export function ListPage<T>({ title, aside, list, columns, empty, row }: Props<T>) {
  useTitle(title);
  const onKeyDown = useRowKeys();
  const items = list.data?.pages.flatMap((one) => one.items);
  return (
    <main className={page.page}>
      <div className={page.head}>
        <h1>{title}</h1>
        {aside}
      </div>
      {list.error && <ProblemNote error={list.error} onRetry={() => void list.refetch()} />}
      {items?.length === 0 && empty}
      {items !== undefined && items.length > 0 && (
        <div className={table.frame}>
          <table className={table.table}>
            <thead>
              <tr>
                {columns.map(({ name, isUnseen }) => (
                  <th key={name} scope="col">
                    {isUnseen ? <span className={table.unseen}>{name}</span> : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody onKeyDown={onKeyDown}>{items.map(row)}</tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </main>
  );
}
