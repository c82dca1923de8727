"""Batches of messages, as an event source takes them off a queue and gives them to a function."""


def take(sqs, url):
    """Take up to ten messages off a queue; they stay in flight."""
    return sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"], MessageAttributeNames=["All"]
    ).get("Messages", [])


def batch_of(messages, url, **attributes):
    """Make the function's event of messages; `attributes` replace the messages' own: `SentTimestamp="1"`."""
    source = f"arn:aws:sqs:us-east-1:1:{url.rpartition('/')[2]}"
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": {**message["Attributes"], **attributes},
                "eventSourceARN": source,
                "messageAttributes": {
                    name: {"stringValue": value["StringValue"], "dataType": value["DataType"]}
                    for name, value in message.get("MessageAttributes", {}).items()
                },
            }
            for message in messages
        ]
    }
