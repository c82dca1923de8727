"""The page with a company's data: hubs, failures far upstream, names that are hard to show."""

from __future__ import annotations

import re

LAKE, WAREHOUSE = "s3://nordwind-lake", "snowflake://nordwind.eu-central-1"
REVENUE = f"dataset:{WAREHOUSE}:nordwind.gold.revenue"
BOARD = "dataset:dashboards:100:ceo morning"
NODES = ".react-flow__node"


def node(page, name):
    return page.locator(NODES, has_text=name)


def test_the_hub_of_the_company_is_folded(open_view, company):
    page = open_view(company, f"map?node=dataset:{LAKE}:silver/reference/dim_date")
    node(page, re.compile(r"about 19\d more")).wait_for()
    assert page.locator(NODES).count() < 20


def test_why_finds_the_failed_job_five_jobs_upstream_of_a_board(open_view, company):
    page = open_view(company, f"map?node={BOARD}&sel={BOARD}")
    page.get_by_role("button", name="Why?").click()
    page.get_by_text("CANNOT_UP_CAST_DATATYPE").first.wait_for()


def test_a_formula_names_the_columns_of_ten_datasets(open_view, company):
    page = open_view(company, f"columns?node=datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount&dir=up")
    page.get_by_text("sum(fct_orders.net_amount_eur) - sum(fct_refunds.amount_eur)").first.wait_for()
    node(page, "stg_order_items").first.wait_for()


def test_a_table_is_found_by_the_last_part_of_its_name_before_columns(open_view, company):
    page = open_view(company)
    page.get_by_role("combobox", name="Find").fill("revenue")
    first = page.get_by_role("option").first
    first.filter(has_text="nordwind.gold.revenue").wait_for()
