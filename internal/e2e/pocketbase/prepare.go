package main

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

// prepare makes what a new folder lacks, and gives a token of the superuser.
func prepare(app core.App, o options) (token string, err error) {
	user, err := app.FindAuthRecordByEmail(core.CollectionNameSuperusers, superuser)
	if errors.Is(err, sql.ErrNoRows) {
		user, err = fill(app, o)
	}
	if err != nil {
		return "", err
	}
	return user.NewStaticAuthToken(tokenLife)
}

// fill makes the superuser last, so that a folder with one is complete. Nobody needs the password.
func fill(app core.App, o options) (*core.Record, error) {
	var user *core.Record
	err := app.RunInTransaction(func(tx core.App) error {
		customers, orders, err := collections(tx)
		if err != nil {
			return err
		}
		if err := records(tx, customers, orders, o); err != nil {
			return err
		}
		users, err := tx.FindCollectionByNameOrId(core.CollectionNameSuperusers)
		if err != nil {
			return err
		}
		user = core.NewRecord(users)
		user.SetEmail(superuser)
		user.SetPassword(rand.Text())
		return tx.Save(user)
	})
	return user, err
}

// collections makes customers and orders. Only superusers may use them: the rules stay unset.
func collections(app core.App) (customers, orders *core.Collection, err error) {
	customers = core.NewBaseCollection("customers")
	customers.Fields.Add(
		&core.TextField{Name: "name", Required: true, Max: 200},
		&core.EmailField{Name: "email", Required: true},
		&core.TextField{Name: "city"},
		&core.BoolField{Name: "active"},
	)
	customers.AddIndex("customers_email", true, "email", "")
	stamps(customers)
	if err := app.Save(customers); err != nil {
		return nil, nil, fmt.Errorf("make the collection customers: %w", err)
	}
	orders = core.NewBaseCollection("orders")
	orders.Fields.Add(
		&core.TextField{Name: "number", Required: true},
		&core.RelationField{Name: "customer", CollectionId: customers.Id, MaxSelect: 1, Required: true, CascadeDelete: true},
		&core.NumberField{Name: "total", Min: types.Pointer(0.0)},
		&core.SelectField{Name: "status", Values: []string{"new", "paid", "shipped", "cancelled"}, MaxSelect: 1, Required: true},
		&core.JSONField{Name: "lines"},
		&core.TextField{Name: "note"},
	)
	orders.AddIndex("orders_number", true, "number", "")
	stamps(orders)
	if err := app.Save(orders); err != nil {
		return nil, nil, fmt.Errorf("make the collection orders: %w", err)
	}
	return customers, orders, nil
}

func stamps(c *core.Collection) {
	c.Fields.Add(
		&core.AutodateField{Name: "created", OnCreate: true},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
}

// records are the same in every folder, but for their ids and times.
func records(app core.App, customers, orders *core.Collection, o options) error {
	var ids []string
	for i := range o.customers {
		r := core.NewRecord(customers)
		r.Load(map[string]any{
			"name": fmt.Sprintf("Customer %d", i+1), "email": fmt.Sprintf("customer%d@example.com", i+1),
			"city": []string{"Bern", "Zürich", "Genève", "Łódź"}[i%4], "active": i%3 != 2,
		})
		if err := app.Save(r); err != nil {
			return fmt.Errorf("make customer %d: %w", i+1, err)
		}
		ids = append(ids, r.Id)
	}
	if len(ids) == 0 {
		return nil
	}
	for i := range o.orders {
		r := core.NewRecord(orders)
		r.Load(map[string]any{
			"number": fmt.Sprintf("A-%04d", i+1), "customer": ids[i%len(ids)], "total": float64(10*(i+1)) + 0.5,
			"status": []string{"new", "paid", "new", "shipped"}[i%4],
			"lines":  []map[string]any{{"sku": fmt.Sprintf("S%d", i%7), "count": i%3 + 1}},
		})
		if err := app.Save(r); err != nil {
			return fmt.Errorf("make order %d: %w", i+1, err)
		}
	}
	return nil
}
