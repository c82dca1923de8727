"""Tables of the company's systems, by area, with their columns; types follow from names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Area -> table -> columns. The first column is the table's key.
TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "shop": {
            "orders": "order_id customer_id voucher_id amount currency country status ordered_at",
            "order_items": "order_item_id order_id product_id quantity price discount",
            "payments": "payment_id order_id amount currency method iban paid_at",
            "refunds": "refund_id order_id amount currency reason refunded_at",
            "baskets": "basket_id customer_id product_id quantity changed_at",
            "vouchers": "voucher_id campaign_id discount valid_until_on",
            "returns": "return_id order_item_id reason is_damaged returned_at",
            "addresses": "address_id customer_id street city postcode country",
        },
        "crm": {
            "customers": "customer_id first_name last_name email phone birth_on segment country created_at",
            "contacts": "contact_id customer_id channel email consent_id contacted_at",
            "consents": "consent_id customer_id purpose is_given given_at",
            "tickets": "ticket_id customer_id order_id topic priority opened_at closed_at",
            "newsletters": "newsletter_id email campaign_id sent_at opened_at",
            "segments": "segment_id name description",
            "loyalty_points": "loyalty_id customer_id points earned_at",
        },
        "catalogue": {
            "products": "product_id category_id supplier_id name brand weight is_listed",
            "prices": "price_id product_id price currency valid_from_on",
            "categories": "category_id parent_category_id name",
            "suppliers": "supplier_id name email iban country",
            "reviews": "review_id product_id customer_id stars text written_at",
            "stock": "stock_id product_id bin_id quantity counted_at",
        },
        "web": {
            "clicks": "click_id session_id product_id url clicked_at",
            "sessions": "session_id customer_id device_id ip_address country started_at",
            "searches": "search_id session_id words hits searched_at",
            "campaigns": "campaign_id name channel budget_amount starts_on",
            "ad_spend": "spend_id campaign_id amount currency spent_on",
            "devices": "device_id system browser is_mobile",
        },
        "erp": {
            "bseg": "bukrs belnr gjahr buzei bschl koart shkzg mwskz dmbtr wrbtr",  # and many more, as SAP has it
            "bkpf": "belnr bukrs gjahr blart bldat_on budat_on usnam waers",
            "kna1": "kunnr land1 name1 ort01 pstlz stras",
            "lfa1": "lifnr land1 name1 ort01 pstlz stcd1",
            "mara": "matnr mtart matkl meins ntgew",
            "ekko": "ebeln bukrs bsart lifnr waers aedat_on",
            "ekpo": "ebelp ebeln matnr menge netpr",
            "t001": "bukrs butxt ort01 land1 waers",
        },
        "logistics": {
            "shipments": "shipment_id order_id carrier_id weight shipped_at",
            "parcels": "parcel_id shipment_id tracking_number delivered_at",
            "carriers": "carrier_id name price country",
            "bins": "bin_id site_id aisle shelf",
            "deliveries": "delivery_id supplier_id product_id quantity delivered_at",
            "inventories": "inventory_id site_id product_id quantity counted_on",
            "pickings": "picking_id order_item_id employee_id picked_at",
        },
        "people": {
            "employees": "employee_id first_name last_name email birth_on site_id department_id iban",
            "contracts": "contract_id employee_id salary hours signed_on",
            "absences": "absence_id employee_id reason starts_on ends_on",
            "payroll": "payroll_id employee_id salary tax_amount paid_on",
            "sites": "site_id name city country",
            "trainings": "training_id employee_id name passed_on",
            "applications": "application_id first_name last_name email applied_at",
            "departments": "department_id name cost_center",
        },
    }
)
WIDE_COLUMNS = 150
PERSONAL = frozenset(
    {"first_name", "last_name", "email", "phone", "birth_on", "iban", "street", "ip_address", "salary"}
)
"""Names of columns with personal data."""
_MONEY = ("amount", "eur", "price", "discount", "salary", "rate", "revenue", "cost", "dmbtr", "wrbtr", "netpr")
_WHOLE = ("quantity", "points", "stars", "hits", "hours", "rows")


def columns_of(area: str, table: str) -> tuple[str, ...]:
    """List a table's columns in the order of its schema; the ledger of the ERP has 150.

    >>> columns_of("web", "devices")
    ('device_id', 'system', 'browser', 'is_mobile')
    >>> len(columns_of("erp", "bseg"))
    150
    """
    names = tuple(TABLES[area][table].split())
    if table != "bseg":
        return names
    return names + tuple(f"zz_field_{number:03}" for number in range(len(names) + 1, WIDE_COLUMNS + 1))


def type_of(column: str) -> str:
    """Derive the type of a column from its name.

    >>> [type_of(name) for name in ("order_id", "amount", "paid_at", "valid_until_on", "is_listed", "city")]
    ['bigint', 'decimal(12,2)', 'timestamp', 'date', 'boolean', 'string']
    """
    last = column.rpartition("_")[2]
    if column.startswith("is_"):
        return "boolean"
    if last in _MONEY:
        return "decimal(12,2)"
    if last in _WHOLE:
        return "int"
    return {"id": "bigint", "at": "timestamp", "on": "date", "date": "date", "weight": "double"}.get(last, "string")
