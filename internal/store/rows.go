package store

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// exactlyOne reads one row; missing is the fault where there is none.
func exactlyOne[T any](rows pgx.Rows, err error, op string, missing error) (T, error) {
	var one T
	if err != nil {
		return one, fmt.Errorf("%s: %w", op, err)
	}
	one, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return one, missing
	case err != nil:
		return one, fmt.Errorf("%s: %w", op, err)
	}
	return one, nil
}

// collect reads rows by the names of their columns.
func collect[T any](rows pgx.Rows, err error, op string) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return list, nil
}

// collectPos reads rows by the order of their columns.
func collectPos[T any](rows pgx.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

// collectOne reads rows of one column.
func collectOne[T any](rows pgx.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}
