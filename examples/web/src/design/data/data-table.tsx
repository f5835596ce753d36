/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- browsers drop the roles of a table whose `display` changes */
import type { ReactNode } from 'react';
import './data-table.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Amounts: aligned at the end of the line. */
  readonly isNumeric?: boolean;
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/**
 * A table that becomes a list on small screens, with the title of its column before each value, unless it has two columns.
 * The roles keep it a table for screen readers, whatever its `display` is.
 */
export const DataTable = <Row,>({ caption, columns, rows, keyOf }: DataTableProps<Row>) => (
  <table className={columns.length > 2 ? 'data-table stacking' : 'data-table'} role="table">
    <caption className="visually-hidden">{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title, isNumeric }) => (
          <th key={title} scope="col" role="columnheader" className={isNumeric ? 'numeric' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {rows.map((row) => (
        <tr key={keyOf(row)} role="row">
          {columns.map((column, index) => (
            <Cell key={column.title} column={column} row={row} isHeader={index === 0} />
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isHeader: boolean;
}

const Cell = <Row,>({ column: { title, cell, isNumeric }, row, isHeader }: CellProps<Row>) =>
  isHeader ? (
    <th scope="row" role="rowheader">
      {cell(row)}
    </th>
  ) : (
    <td role="cell" data-title={title} className={isNumeric ? 'numeric' : undefined}>
      {cell(row)}
    </td>
  );
