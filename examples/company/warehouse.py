"""Gold, marts and boards: tables for people, each column with its formula."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from examples.company.layers import a_table
from examples.company.model import BOARDS, DBT, LAKE, WAREHOUSE, Dataset, Job, Source, Write

# Table -> its columns: a reference `table.column` is a copy, further text a formula over references.
_GOLD: Mapping[str, str] = MappingProxyType(
    {
        "dim_customer": """
            customer_id = stg_customers.customer_id; email = stg_customers.email; segment = stg_customers.segment
            full_name = concat(stg_customers.first_name, ' ', stg_customers.last_name)
            city = max(stg_addresses.city); country = stg_customers.country""",
        "dim_product": """
            product_id = stg_products.product_id; name = stg_products.name; brand = stg_products.brand
            category = stg_categories.name; supplier = stg_suppliers.name; price = max(stg_prices.price)""",
        "dim_supplier": """
            supplier_id = stg_suppliers.supplier_id; name = stg_suppliers.name; email = stg_suppliers.email""",
        "dim_carrier": "carrier_id = stg_carriers.carrier_id; name = stg_carriers.name; price = stg_carriers.price",
        "dim_campaign": """
            campaign_id = stg_campaigns.campaign_id; name = stg_campaigns.name; channel = stg_campaigns.channel""",
        "dim_account": "account = stg_t001.bukrs; name = stg_t001.butxt; currency = stg_t001.waers",
        "dim_device": "device_id = stg_devices.device_id; system = stg_devices.system",
        "fct_orders": """
            order_id = stg_orders.order_id; customer_id = stg_orders.customer_id; country = stg_orders.country
            product_id = stg_order_items.product_id; date = date(stg_orders.ordered_at)
            net_amount = stg_order_items.quantity * stg_order_items.price - stg_order_items.discount
            net_amount_eur = net_amount(stg_order_items.quantity, stg_order_items.price) * exchange_rates.rate
            paid_amount = sum(stg_payments.amount)""",
        "fct_payments": """
            payment_id = stg_payments.payment_id; method = stg_payments.method; date = date(stg_payments.paid_at)
            amount_eur = stg_payments.amount * exchange_rates.rate; country = stg_orders.country""",
        "fct_refunds": """
            refund_id = stg_refunds.refund_id; date = date(stg_refunds.refunded_at); country = stg_orders.country
            amount_eur = stg_refunds.amount * exchange_rates.rate; reason = stg_refunds.reason""",
        "fct_shipments": """
            shipment_id = stg_shipments.shipment_id; carrier = dim_carrier.name; date = date(stg_shipments.shipped_at)
            cost = stg_shipments.weight * dim_carrier.price; country = stg_orders.country""",
        "fct_sessions": """
            session_id = stg_sessions.session_id; customer_id = stg_sessions.customer_id; country = stg_sessions.country
            system = dim_device.system; date = date(stg_sessions.started_at); clicks = count(stg_clicks.click_id)""",
        "fct_searches": """
            search_id = stg_searches.search_id; words = stg_searches.words; hits = stg_searches.hits
            date = date(stg_searches.searched_at); country = stg_sessions.country""",
        "fct_ad_spend": """
            spend_id = stg_ad_spend.spend_id; campaign = dim_campaign.name; date = stg_ad_spend.spent_on
            amount_eur = stg_ad_spend.amount * exchange_rates.rate; country = upper(dim_campaign.channel)""",
        "fct_tickets": """
            ticket_id = stg_tickets.ticket_id; topic = stg_tickets.topic; date = date(stg_tickets.opened_at)
            hours = hours_between(stg_tickets.opened_at, stg_tickets.closed_at); country = dim_customer.country""",
        "fct_postings": """
            belnr = stg_bseg.belnr; account = dim_account.account; date = stg_bkpf.budat_on
            amount = case stg_bseg.shkzg when 'S' then stg_bseg.dmbtr else -stg_bseg.dmbtr end
            country = stg_kna1.land1""",
        "fct_reviews": """
            review_id = stg_reviews.review_id; stars = stg_reviews.stars; product = dim_product.name
            date = date(stg_reviews.written_at); country = dim_customer.country""",
        "fct_stock": """
            product_id = stg_stock.product_id; quantity = sum(stg_stock.quantity); date = date(stg_stock.counted_at)
            worth = stg_stock.quantity * dim_product.price; country = stg_suppliers.country""",
        "revenue": """
            date = fct_orders.date; country = fct_orders.country
            orders = count(fct_orders.order_id)
            amount = sum(fct_orders.net_amount_eur) - sum(fct_refunds.amount_eur)""",
        "customer_360": """
            customer_id = dim_customer.customer_id; email = dim_customer.email; name = dim_customer.full_name
            revenue = sum(fct_orders.net_amount_eur); tickets = count(fct_tickets.ticket_id)
            sessions = count(fct_sessions.session_id); country = dim_customer.country""",
    }
)
# Subject -> table and measure; each has a mart by each grain.
_SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        "revenue": "revenue.amount",
        "orders": "fct_orders.order_id",
        "payments": "fct_payments.amount_eur",
        "refunds": "fct_refunds.amount_eur",
        "shipments": "fct_shipments.cost",
        "sessions": "fct_sessions.clicks",
        "searches": "fct_searches.hits",
        "ad_spend": "fct_ad_spend.amount_eur",
        "tickets": "fct_tickets.hours",
        "postings": "fct_postings.amount",
        "reviews": "fct_reviews.stars",
        "stock": "fct_stock.worth",
        "customers": "customer_360.revenue",
        "net_amount": "fct_orders.net_amount",
        "paid_amount": "fct_orders.paid_amount",
        "visitors": "fct_sessions.customer_id",
        "stock_quantity": "fct_stock.quantity",
    }
)
# Table -> the column of its daily partitions: each night's run adds a partition.
_PARTITIONED: Mapping[str, str] = MappingProxyType({"fct_orders": "date"})
_GRAINS = ("day", "week", "month", "country", "quarter")
_BOARDS = 40
_TITLES = (
    "ceo morning",
    "sales today",
    "returns and refunds",
    "campaigns",
    "warehouse floor",
    "support desk",
    "ledger",
    "stock",
)
_REFERENCE = re.compile(r"\b([a-z]\w*)\.(\w+)")


def build_gold(known: Mapping[str, Dataset], calendar: Dataset, parent: Job, root: Job) -> dict[str, Job]:
    """Build the dbt models of gold by table, in the order of their runs; `known` are datasets by short name."""
    jobs: dict[str, Job] = {}
    tables = dict(known)
    for number, (table, text) in enumerate(_GOLD.items()):
        formulas = dict(
            re.split(r"\s*=\s*", line.strip(), maxsplit=1) for line in re.split(r"[;\n]", text) if line.strip()
        )
        # Columns follow from formulas, rows from joins with the calendar and between the inputs.
        lineage = {column: _sources(formula, tables) for column, formula in formulas.items()}
        tags = ("tier:gold", "sox") if table in ("revenue", "fct_postings") else ("tier:gold",)
        model = a_table(WAREHOUSE, f"nordwind.gold.{table}", formulas, "team:analytics", *tags)
        model = replace(model, partition=_PARTITIONED.get(table, ""))
        reads = list(dict.fromkeys(source.dataset for sources in lineage.values() for source in sources))
        rows = [Source(calendar, "date", role="JOIN")]
        rows += [Source(read, next(iter(read.columns)), role="JOIN") for read in reads[1:]]
        sql = f"select {', '.join(f'{formula} as {column}' for column, formula in formulas.items())}"
        jobs[table] = Job(
            DBT,
            model.name,
            (*reads, calendar),
            (Write(model, lineage, rows),),
            "team:analytics",
            170 + 3 * number,
            3,
            parent,
            root,
            sql,
        )
        tables[table] = model
    return jobs


def _sources(formula: str, tables: Mapping[str, Dataset]) -> list[Source]:
    expression = "" if _REFERENCE.fullmatch(formula) else formula
    named = dict.fromkeys(_REFERENCE.findall(formula))
    return [Source(tables[table], column, expression) for table, column in named]


def build_marts(gold: Mapping[str, Job], calendar: Dataset, parent: Job, root: Job) -> dict[str, Job]:
    """Build the dbt models that sum a subject by a grain, by short name; each also exports its mart to the lake."""
    jobs = {}
    for number, (subject, measured) in enumerate(_SUBJECTS.items()):
        table, _, measure = measured.partition(".")
        source = gold[table].writes[0].dataset
        for grain in _GRAINS:
            name = f"{subject}_by_{grain}"
            by = (
                Source(source, "country")
                if grain == "country"
                else Source(calendar, "date" if grain == "day" else grain)
            )
            columns = {grain: [by], subject: [Source(source, measure, f"sum({measure})")]}
            if "date" in source.columns:
                columns["last_on"] = [Source(source, "date", "max(date)")]
            mart = a_table(WAREHOUSE, f"nordwind.marts.{name}", columns, "team:analytics", "tier:gold")
            export = a_table(LAKE, f"exports/{name}/v2/format=csv/compression=gzip", columns)
            rows = (
                Source(calendar, "date", role="JOIN"),
                Source(source, by.column if by.dataset is source else next(iter(source.columns)), role="GROUP_BY"),
            )
            jobs[name] = Job(
                DBT,
                mart.name,
                (source, calendar),
                (Write(mart, columns, rows), Write(export, columns)),
                "team:analytics",
                240 + number,
                4,
                parent,
                root,
                f"select {grain}, sum({measure}) as {subject}\nfrom gold.{table} group by 1",
            )
    return jobs


def build_boards(marts: Mapping[str, Job], parent: Job) -> dict[str, Job]:
    """Build the jobs that refresh the boards, by the name of the board; each reads three marts."""
    jobs = {}
    sources: Sequence[Dataset] = [job.writes[0].dataset for job in marts.values()]
    for number in range(_BOARDS):
        reads = [sources[(number * 7 + step * 31) % len(sources)] for step in range(3)]
        if number == 0:
            reads = [marts["revenue_by_day"].writes[0].dataset, marts["payments_by_day"].writes[0].dataset, reads[2]]
        lineage = {
            f"{read.name.rpartition('.')[2]}_{list(read.columns)[1]}": [Source(read, list(read.columns)[1])]
            for read in reads
        }
        title = _TITLES[number % len(_TITLES)] + ("" if number < len(_TITLES) else f" {1 + number // len(_TITLES)}")
        board = a_table(
            BOARDS, f"{100 + number}:{title}", lineage, "team:analytics" if number % 3 else "team:management"
        )
        jobs[board.name] = Job(
            BOARDS, f"refresh {board.name}", reads, (Write(board, lineage),), board.owner, 280 + number, 1, parent
        )
    return jobs
