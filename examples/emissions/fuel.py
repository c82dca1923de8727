"""Fuel of a flight: a published average, good for a story about lineage, not for a report.

    fuel [kg] = seats x distance [km] x FUEL_KG_PER_SEAT_KM        CO2 [kg] = fuel x CO2_KG_PER_KG_FUEL

It leaves out the type of aircraft beyond its seats, the extra of take-off on short routes, freight, wind and detours,
and the effects of flying high that are not CO2. EMEP/EEA's guidebook (1.A.3.a Aviation) has tables by type.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as sf

# ICAO Carbon Emissions Calculator Methodology, version 7 (2014): complete combustion of jet kerosene.
CO2_KG_PER_KG_FUEL = 3.16
# ICCT working paper 2019-16, "CO2 emissions from commercial aviation, 2018": 747 Mt for 8.5 trillion passenger-km.
CO2_KG_PER_PASSENGER_KM = 0.088
# IATA, World Air Transport Statistics 2019: share of occupied seats in 2018.
LOAD_FACTOR = 0.819
FUEL_KG_PER_SEAT_KM = CO2_KG_PER_PASSENGER_KM * LOAD_FACTOR / CO2_KG_PER_KG_FUEL
KM_PER_MILE = 1.609344
# Below this a tail number met a foreign plane: AA's and MQ's are often fleet numbers, not tail numbers.
AIRLINER_SEATS_MIN = 20


def fuel_kg(seats: Column, distance_miles: Column) -> Column:
    """Compute kilograms of fuel, to a tenth."""
    return sf.round(seats * distance_miles * KM_PER_MILE * FUEL_KG_PER_SEAT_KM, 1)


def co2_kg(fuel: Column) -> Column:
    """Compute kilograms of CO2 from burning `fuel` kilograms, to a tenth."""
    return sf.round(fuel * CO2_KG_PER_KG_FUEL, 1)
