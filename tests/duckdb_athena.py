"""Athena as its client shows it, over tables that a test fills: SQL is DuckDB's, states and pages are Athena's."""

from itertools import count

import duckdb
from botocore.exceptions import ClientError

from headwater_model.archive_tables import DAY, RECORDS

WORKGROUP = "headwater-test"
_TYPES = {"string": "VARCHAR", "bigint": "BIGINT", "map<string,string>": "MAP(VARCHAR, VARCHAR)"}


def _text(value):
    return {} if value is None else {"VarCharValue": str(value)}


class DuckDbAthena:
    """A client of Athena. `polls` is how often a query is still running when it is looked at.

    `ends` are states and reasons of the next queries, instead of a result; `refuses` the codes of the next calls.
    """

    def __init__(self):
        self.database = duckdb.connect()
        columns = ", ".join(f"{column.name} {_TYPES[column.type]}" for column in (*RECORDS.columns, DAY))
        self.database.execute(f"CREATE TABLE {RECORDS.name} ({columns})")
        self.polls, self.ends, self.refuses, self.started = 0, [], [], []
        self.executions = {}
        self._ids = count(1)

    def put(self, day, records):
        """Make the day's partition hold these records."""
        self.database.execute("DELETE FROM records WHERE day = ?", [day])
        for record in records:
            values = [
                record.root_id,
                record.node_id,
                record.parent_id,
                record.action_taken,
                record.storage_location,
                record.recorded_at,
                record.run_id,
            ]
            self.database.execute(
                "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*values, dict(record.metadata) or None, day],
            )

    def start_query_execution(self, **request):
        self._refuse("StartQueryExecution")
        sql = request.pop("QueryString")
        assert request == {"QueryExecutionContext": {"Database": "headwater_test"}, "WorkGroup": WORKGROUP}
        assert len(sql.encode()) <= 262_144
        execution = f"00000000-0000-4000-8000-{next(self._ids):012}"
        self.started.append(sql)
        self.executions[execution] = {
            "sql": sql,
            "polls": self.polls,
            "end": self.ends.pop(0) if self.ends else None,
        }
        return {"QueryExecutionId": execution}

    def get_query_execution(self, **request):
        self._refuse("GetQueryExecution")
        execution = self._find(request["QueryExecutionId"])
        status = {"State": "RUNNING"}
        if execution["polls"]:
            execution["polls"] -= 1
        elif execution["end"]:
            status = dict(zip(("State", "StateChangeReason"), execution["end"], strict=True))
        else:
            status = {"State": "SUCCEEDED"}
            if "rows" not in execution:
                result = self.database.execute(execution["sql"])
                names = [column[0] for column in result.description]
                execution["rows"] = [names, *result.fetchall()]
        return {"QueryExecution": {"Query": execution["sql"], "WorkGroup": WORKGROUP, "Status": status}}

    def get_query_results(self, **request):
        self._refuse("GetQueryResults")
        token, most = request.get("NextToken", "from 0"), request["MaxResults"]
        rows = self._find(request["QueryExecutionId"]).get("rows")
        if rows is None or not token.startswith("from "):
            raise _error("InvalidRequestException", "Could not find results")
        first = int(token.partition(" ")[2])
        page = [{"Data": [_text(value) for value in row]} for row in rows[first : first + most]]
        after = first + most
        return {"ResultSet": {"Rows": page}, **({"NextToken": f"from {after}"} if after < len(rows) else {})}

    def get_work_group(self, **request):
        return {
            "WorkGroup": {"Name": request["WorkGroup"], "Configuration": {"BytesScannedCutoffPerQuery": 10_000_000}}
        }

    def _find(self, execution):
        if execution not in self.executions:
            raise _error("InvalidRequestException", f"QueryExecution {execution} was not found")
        return self.executions[execution]

    def _refuse(self, operation):
        if self.refuses and self.refuses[0][0] == operation:
            raise _error(self.refuses.pop(0)[1], "injected")


def _error(code, message):
    return ClientError({"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "q")
